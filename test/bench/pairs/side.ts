/** A built checkout that is measured beside another one. */
export interface Side {
  /** The short hash of its commit, or `this tree`. */
  readonly name: string;
  /** The folder of the checkout. */
  readonly root: string;
}

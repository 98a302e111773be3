/** A span of virtual time. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

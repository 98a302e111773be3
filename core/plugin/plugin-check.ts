/** A check of `doctor` that a plugin brings. It runs in a process of its own, while the service may run or not, and changes nothing. */
export interface PluginCheck {
  /** `mail server` */
  readonly name: string;
  /** What to do where it fails: a sentence, or a command. */
  readonly advice: string;
  /**
   * Looks, and returns what it found.
   * @throws HorariumError with a sentence that says what is wrong.
   */
  run(): Promise<string>;
}

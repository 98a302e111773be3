import type { PluginCore } from './plugin-core.ts';

/** A check of `doctor` that a plugin brings. It runs in a process of its own, while the service may run or not, and changes nothing. */
export interface PluginCheck {
  /** `mail server` */
  readonly name: string;
  /** What to do where it fails: a sentence, or a command. */
  readonly advice: string;
  /** Whether it looks into the store: then it is skipped where that cannot be used. @default false */
  readonly readsStore?: boolean;
  /**
   * Looks, and returns what it found.
   * @param openCore returns the core, for a check that looks into the store.
   * @throws HorariumError with a sentence that says what is wrong.
   */
  run(openCore: () => Promise<PluginCore>): Promise<string | readonly CheckWarning[]>;
}

/** Something that lets the service go on, but is to be looked at. */
export interface CheckWarning {
  /** A clause without a full stop. */
  readonly warning: string;
  /** What to do: a sentence, or a command. */
  readonly advice: string;
}

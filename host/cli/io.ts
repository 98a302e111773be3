import type { AnyResource } from '@horarium/core';
import type { Machine } from '../config/setting.ts';
import { type RecordModel, standardModel } from '../model.ts';

/** Everything that a command may touch outside of it, so that a test can be the terminal. */
export interface Io {
  /** Without the program itself. */
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Relative paths start here. */
  readonly folder: string;
  readonly machine: Machine;
  /** Left out: the records of the product. */
  readonly model?: RecordModel;
  /** `root on host7`: who the audit log says it was. */
  readonly operator: string;
  readonly input: Input;
  /** Resolves when whoever reads it can take more. */
  out(piece: string | Uint8Array): Promise<void>;
  err(piece: string | Uint8Array): Promise<void>;
}

/** The resources that commands are made for. */
export function resourcesOf({ model = standardModel }: Pick<Io, 'model'>): readonly AnyResource[] {
  return model.resources;
}

export interface Input {
  /** All that is written into the command, up to its end. */
  bytes(): Promise<Uint8Array>;
  /**
   * Asks someone at a terminal without showing what they type; null when nobody is there.
   * @throws Interrupted when they break it off.
   */
  secret(question: string): Promise<string | null>;
}

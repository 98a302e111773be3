import type { PairsContext } from '../context.ts';
import type { Side } from '../side.ts';
import type { Row } from '../table.ts';

/** Adds samples to the row of a name. */
export type AddSamples = (row: string, ...samples: readonly number[]) => void;

/** Measures one side for the rows of one group. */
export interface Measurement {
  readonly rows: readonly Row[];
  /** @throws Error with the reason why the rows that got no samples have none; those that did keep them. */
  run(side: Side, context: PairsContext, add: AddSamples): Promise<void>;
}

import type { PairsContext } from '../context.ts';
import type { Side } from '../side.ts';
import type { Row } from '../table.ts';

/** Samples by the names of their rows. A row that is missing has no figure on that side. */
export type Samples = Readonly<Record<string, readonly number[]>>;

/** Measures one side for the rows of one group. */
export interface Measurement {
  readonly rows: readonly Row[];
  run(side: Side, context: PairsContext): Promise<Samples>;
}

import type { PairsContext } from './context.ts';
import type { Measurement } from './measurements/measurement.ts';
import type { Side } from './side.ts';
import type { Column } from './table.ts';

interface Collected extends Column {
  readonly side: Side;
  readonly values: Map<string, number[]>;
  readonly reasons: Map<string, string>;
}

/**
 * Measures the sides by turns, group by group, so that other load on the machine affects all of them alike. What fails
 * on one side leaves a reason there, and the rest is measured. An interrupted run returns what it has.
 */
export async function measureSides(
  sides: readonly Side[],
  measurements: Readonly<Record<string, Measurement>>,
  rounds: number,
  context: PairsContext,
  progress: (step: string) => void,
): Promise<readonly Column[]> {
  const columns = sides.map((side): Collected => ({ side, name: side.name, values: new Map(), reasons: new Map() }));
  for (let round = 1; round <= rounds; round++)
    for (const [group, measurement] of Object.entries(measurements))
      for (const column of columns) {
        if (context.signal.aborted) return columns;
        const start = performance.now();
        await measureOne(column, measurement, context);
        const seconds = Math.round((performance.now() - start) / 1000);
        progress(`round ${round} of ${rounds}: ${group} of ${column.name} took ${seconds} s`);
      }
  return columns;
}

async function measureOne(
  { side, values, reasons }: Collected,
  { run, rows }: Measurement,
  context: PairsContext,
): Promise<void> {
  let reason = 'it prints no such figure';
  try {
    await run(side, context, (row, ...samples) => values.set(row, [...(values.get(row) ?? []), ...samples]));
  } catch (error) {
    if (context.signal.aborted) return;
    reason = (error as Error).message;
  }
  for (const { name } of rows) if (!values.has(name)) reasons.set(name, reason);
}

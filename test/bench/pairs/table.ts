import { median } from '../harness/rounds.ts';
import { formatNumber, formatTarget, isMet, type Target } from '../results.ts';

/** A row of the table; both sides are measured for it. */
export interface Row {
  /** What is measured, and its unit: also the name under which a measurement returns it. */
  readonly name: string;
  /** The bound that this tree should meet. */
  readonly target?: Target;
}

/** One side: its values by the names of their rows, or the reason why it has none. */
export interface Column {
  readonly name: string;
  readonly values: ReadonlyMap<string, readonly number[]>;
  readonly reasons: ReadonlyMap<string, string>;
}

/**
 * Prints one row for each figure: the median of each side, with its least and greatest value where there are several,
 * then this tree divided by each commit. A side without values has a dash, and the reason below the table.
 *
 * @param commits the sides that this tree is compared with.
 */
export function pairsTable(rows: readonly Row[], commits: readonly Column[], own: Column): string {
  const reasons: string[] = [];
  const columns = [...commits, own];
  const head = ['Same machine, one run', ...columns.map(({ name }) => name), ...commits.map(({ name }) => `÷ ${name}`)];
  const lines = rows.map((row) => {
    const cells = columns.map((column) => cellOf(column, row.name, reasons));
    const ratios = commits.map((commit) => ratioOf(own.values.get(row.name), commit.values.get(row.name)));
    return line([row.name, ...cells, ...ratios, ...targetOf(row, own.values.get(row.name))]);
  });
  const rule = `|---|${'---:|'.repeat(head.length)}---|`;
  const notes = reasons.map((reason, index) => `${index + 1}. ${reason}`);
  return [line([...head, 'To reach', 'Met']), rule, ...lines, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

function cellOf({ name, values, reasons }: Column, row: string, notes: string[]): string {
  const samples = values.get(row);
  if (samples !== undefined) return samplesOf(samples);
  const note = `${name}: ${reasons.get(row) ?? 'the run was interrupted'}`;
  if (!notes.includes(note)) notes.push(note);
  return `– (${notes.indexOf(note) + 1})`;
}

function samplesOf(samples: readonly number[]): string {
  const middle = formatNumber(median(samples));
  const [least, greatest] = [formatNumber(Math.min(...samples)), formatNumber(Math.max(...samples))];
  return least === greatest ? middle : `${middle} (${least}–${greatest})`;
}

function ratioOf(own: readonly number[] | undefined, other: readonly number[] | undefined): string {
  if (own === undefined || other === undefined || median(other) === 0) return '–';
  return formatNumber(median(own) / median(other));
}

function targetOf({ target }: Row, own: readonly number[] | undefined): [bound: string, met: string] {
  if (target === undefined) return ['', ''];
  return [formatTarget(target), own === undefined ? '' : isMet(median(own), target) ? 'yes' : '**no**'];
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

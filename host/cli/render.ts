export const outputFormats = ['table', 'json', 'yaml'] as const;
export type OutputFormat = (typeof outputFormats)[number];

type Row = Readonly<Record<string, unknown>>;

/**
 * Writes plain data as text that ends in a newline. A table of a list has one line a row; of one record, one line a
 * field. `columns` chooses and orders those of a table; json and yaml always hold everything.
 */
export async function render(
  value: Row | readonly Row[],
  format: OutputFormat,
  columns?: readonly string[],
): Promise<string> {
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`;
  if (format === 'yaml') return (await import('yaml')).stringify(value, { compat: 'yaml-1.1', lineWidth: 0 });
  return Array.isArray(value) ? listTable(value, columns) : recordTable(value as Row, columns);
}

const longestCell = 80;

async function listTable(
  rows: readonly Row[],
  columns: readonly string[] = Object.keys(rows[0] ?? {}),
): Promise<string> {
  if (rows.length === 0) return '(none)\n';
  return draw([columns, ...rows.map((row) => columns.map((column) => shortened(cell(row[column]))))]);
}

async function recordTable(row: Row, columns: readonly string[] = Object.keys(row)): Promise<string> {
  return draw(columns.map((column) => [column, cell(row[column])]));
}

async function draw(lines: readonly (readonly string[])[]): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const sides = ['top', 'bottom', 'left', 'right', 'mid'];
  const chars = Object.fromEntries(
    sides.flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`]).map((name) => [name, '']),
  );
  const table = new Table({
    chars: { ...chars, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...lines.map((line) => [...line]));
  const text = table.toString().replace(/ +$/gm, '');
  return `${text}\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return printable(value.join(', '));
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

function shortened(text: string): string {
  const [line = '', ...more] = text.split('\n');
  return line.length > longestCell || more.length > 0 ? `${line.slice(0, longestCell - 1)}…` : line;
}

/** Control characters would let the names and output of jobs take over the terminal. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, (character) =>
    character === '\t' ? ' ' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** The upper or lower bound that a figure should meet. */
export type Target = { readonly max: number } | { readonly min: number };

export interface Figure {
  readonly name: string;
  readonly value: number;
  /** Empty = the value is a number of what the name says. */
  readonly unit: string;
  readonly target: Target | null;
}

/** Collects the figures that one program measures. */
export interface Report {
  /** Adds a figure; with a target the table says whether it was met. Ratios have the unit `×`. */
  figure(name: string, value: number, unit: string, target?: Target): void;
}

/** The figures of one program, and the machine that they were measured on. */
export interface Section {
  /** The name of the program, which is also the heading of its table. */
  readonly program: string;
  readonly title: string;
  readonly machine: string;
  /** `2026-11-22` */
  readonly day: string;
  readonly figures: readonly Figure[];
}

const introduction = `# Results of the benches

\`npm run bench\` writes this file: each program replaces its own table and leaves the others as they are. Ratios and pairs
of one table were measured in one run; \`npm run bench -- NAME\` measures one program again, and
\`npm run bench -- pairs --with COMMIT\` prints this tree beside another commit, measured in one run.
`;

/** Replaces the tables of these programs in the file. */
export function writeResults(file: string, sections: readonly Section[], order: readonly string[]): void {
  const tables = new Map(existsSync(file) ? tablesOf(readFileSync(file, 'utf8')) : []);
  for (const section of sections) tables.set(section.program, tableOf(section));
  const known = order.filter((program) => tables.has(program));
  writeFileSync(file, [introduction, ...known.map((program) => tables.get(program) as string)].join('\n'));
}

/** Reads the tables of a file, by the name of the program. */
function tablesOf(text: string): [string, string][] {
  return text
    .split(/^(?=## )/m)
    .slice(1)
    .map((table) => [/^## `([^`]+)`/.exec(table)?.[1] ?? '', `${table.trimEnd()}\n`]);
}

function tableOf({ program, title, machine, day, figures }: Section): string {
  const rows = figures.map(({ name, value, unit, target }) => {
    const bound = target === null ? '' : `${formatTarget(target)} ${unit}`;
    const met = target === null ? '' : isMet(value, target) ? 'yes' : '**no**';
    const measured = `${formatNumber(value)} ${unit}`.trimEnd();
    return `| ${name.replace(/^ +/, '… ')} | ${measured} | ${bound} | ${met} |`;
  });
  const head = `## \`${program}\`: ${title}\n\n${machine}, ${day}\n\n| Figure | Measured | Target | Met |\n|---|---:|---:|---|`;
  return `${head}\n${rows.join('\n')}\n`;
}

export function isMet(value: number, target: Target): boolean {
  return 'max' in target ? value <= target.max : value >= target.min;
}

/** Formats a target without its unit: `≤ 10`. */
export function formatTarget(target: Target): string {
  return 'max' in target ? `≤ ${formatNumber(target.max)}` : `≥ ${formatNumber(target.min)}`;
}

/** Formats a number with three significant digits, and commas between thousands. */
export function formatNumber(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

/** Names what is measured on: `AMD EPYC, 2 cores, Node 24.21.0`. */
export function machine(): string {
  const all = cpus();
  return `${all[0]?.model.trim() ?? process.arch}, ${all.length} cores, Node ${process.versions.node}`;
}

/** What a figure must be: no more than, or at least, that much. */
export type Target = { readonly most: number } | { readonly least: number };

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly target: Target | null;
}

/** Takes what one program measured. */
export interface Report {
  /** A figure; with a target the table says whether it was met. Ratios have the unit `×`. */
  figure(name: string, value: number, unit: string, target?: Target): void;
}

/** A Markdown table, as the README shows it. */
export function markdown(figures: readonly Figure[]): string {
  const lines = figures.map(({ name, value, unit, target }) => {
    const wanted = target === null ? '' : `${'most' in target ? '≤' : '≥'} ${shown(limitOf(target))} ${unit}`;
    return `| ${name} | ${shown(value)} ${unit} | ${wanted} | ${target === null ? '' : isMet(value, target) ? 'yes' : '**no**'} |`;
  });
  return ['| Figure | Measured | Target | Met |', '|---|---:|---:|---|', ...lines].join('\n');
}

function isMet(value: number, target: Target): boolean {
  return 'most' in target ? value <= target.most : value >= target.least;
}

function limitOf(target: Target): number {
  return 'most' in target ? target.most : target.least;
}

/** Three digits that count, thousands apart. */
export function shown(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

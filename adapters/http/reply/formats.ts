import { type Format, HorariumError } from '@horarium/core';
import { HttpProblem } from './problems.ts';

/** The formats that responses can be written in, by suffix. */
export class Formats {
  readonly all: readonly Format[];
  readonly #bySuffix: ReadonlyMap<string, Format>;
  /** The format of paths without a suffix: JSON. */
  readonly usual: Format;

  /** @throws HorariumError `invalid` when there is none called json. */
  constructor(formats: Iterable<Format>) {
    this.#bySuffix = new Map([...formats].map((format) => [format.suffix, format]));
    this.all = [...this.#bySuffix.values()];
    const usual = this.#bySuffix.get('json');
    if (!usual) throw new HorariumError('invalid', 'No loaded plugin brings the format json, and the API needs it.');
    this.usual = usual;
  }

  /** @throws HttpProblem `not_found` that lists the known suffixes. */
  of(suffix: string | null): Format {
    const format = this.known(suffix);
    if (format) return format;
    throw new HttpProblem('not_found', `There is no format .${suffix} here; the formats are ${this.#listed()}.`);
  }

  known(suffix: string | null): Format | undefined {
    return suffix === null ? this.usual : this.#bySuffix.get(suffix);
  }

  #listed(): string {
    return [...this.#bySuffix.keys()].map((suffix) => `.${suffix}`).join(', ');
  }
}

import { type Format, HorariumError, type HttpRequest } from '@horarium/core';
import { preferredType } from '../request/accept.ts';
import { HttpProblem } from './problems.ts';

/** The formats that responses can be written in, by suffix. */
export class Formats {
  readonly all: readonly Format[];
  readonly #bySuffix: ReadonlyMap<string, Format>;
  /** The format of paths without a suffix: JSON. */
  readonly default: Format;

  /** @throws HorariumError `invalid` when there is none called json. */
  constructor(formats: Iterable<Format>) {
    this.#bySuffix = new Map([...formats].map((format) => [format.suffix, format]));
    this.all = [...this.#bySuffix.values()];
    const json = this.#bySuffix.get('json');
    if (!json) throw new HorariumError('invalid', 'No loaded plugin provides the format json, and the API needs it.');
    this.default = json;
  }

  /** @throws HttpProblem `not_found` that lists the known suffixes. */
  of(suffix: string | null): Format {
    const format = this.find(suffix);
    if (format) return format;
    throw new HttpProblem('not_found', `There is no format .${suffix} here; the formats are ${this.#listed()}.`);
  }

  /** Returns the format of a suffix, the default one without a suffix; undefined for an unknown suffix. */
  find(suffix: string | null): Format | undefined {
    return suffix === null ? this.default : this.#bySuffix.get(suffix);
  }

  /** Returns the format that a client likes best by `Accept`; the default one where it takes any or none. */
  preferred(request: HttpRequest): Format {
    const formats = [this.default, ...this.all];
    const type = preferredType(request, formats.map(mediaTypeOf));
    return formats.find((format) => mediaTypeOf(format) === type) ?? this.default;
  }

  #listed(): string {
    return [...this.#bySuffix.keys()].map((suffix) => `.${suffix}`).join(', ');
  }
}

/** The content type of a format without its parameters. */
function mediaTypeOf({ mime }: Format): string {
  return mime.replace(/;.*/, '');
}

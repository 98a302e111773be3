import { anything, type Field, integer, json, mapOf, parseDuration, text, texts } from '@horarium/core';
import { parseNetwork } from '../../adapters/http/security/networks.ts';
import { splitList, WrongValue } from './setting.ts';

interface More {
  readonly description: string;
}

/** A time span with its unit, in milliseconds. */
export function duration(more: More, { min = 0, max = Infinity } = {}) {
  const limits = [min > 0 ? `${min / 1000}s or more` : '', max < Infinity ? `${max / 1000}s at most` : ''];
  const form = ['a duration such as 45s, 15m, 12h or 90d', ...limits].filter(Boolean).join(', ');
  return integer({ ...more, form, parse: parser(parseDuration) })
    .min(min)
    .max(Math.min(max, Number.MAX_SAFE_INTEGER));
}

const unitBytes = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

/** An amount of memory, `65536`, `64KiB` or `10MiB`, in bytes. */
export function size(more: More) {
  const parse = parser((given) => {
    const [, count, unit] = /^(\d{1,12})\s?(KiB|MiB|GiB|)$/.exec(given) ?? [];
    return unit === undefined ? undefined : Number(count) * unitBytes[unit as keyof typeof unitBytes];
  });
  return integer({ ...more, form: 'a size such as 64KiB or 10MiB', parse }).min(0);
}

/** Texts with commas between them. */
export function list(more: More) {
  return texts(4096, { ...more, form: 'one or several, separated by commas' });
}

function listOf(more: More, form: string, read: (item: string) => string | undefined) {
  const parse = (given: unknown) => splitList(String(given)).map(parser(read));
  return texts(4096, { ...more, form: `${form}; several are separated by commas`, parse });
}

/** The name of a time zone, as it is written in the list of them. */
export function timezone(more: More) {
  const parse = parser((given) => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone;
    } catch {
      return undefined;
    }
  });
  return text(255, { ...more, form: 'a time zone such as Europe/Prague', parse });
}

/** An http or https address, perhaps with the path that a proxy serves it under; without query or credentials. */
export function webUrl(more: More) {
  const parse = parser((given) => {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
      return undefined;
    return url.href.replace(/\/$/, '');
  });
  return text(2048, { ...more, form: 'an address such as https://jobs.example.com', parse });
}

/** Origins as browsers write them: scheme, host and port, nothing else. */
export function origins(more: More) {
  return listOf(more, 'an origin such as https://app.example.com', (given) =>
    URL.canParse(given) && new URL(given).origin === given ? given : undefined,
  );
}

/** Addresses and ranges of addresses, but no range of all addresses. */
export function networks(more: More) {
  return listOf(more, 'an address or a range such as 10.0.0.0/8, never all of them', (given) => {
    try {
      parseNetwork('network', given);
      return given;
    } catch {
      return undefined;
    }
  });
}

/** Keys of 32 bytes, each written in base64. */
export function keys(more: More) {
  return listOf(more, '32 bytes in base64', (given) =>
    /^[A-Za-z0-9+/_-]{43}=?$/.test(given) && Buffer.from(given, 'base64').length === 32 ? given : undefined,
  );
}

const options: Field<Readonly<Record<string, unknown>>> = anything.defined();
const pluginName = { pattern: /^(?!__proto__$)/, description: 'the name of a plugin' };

/** Options by the name of their plugin: `{"executor-native": {"grace": 5}}`. */
export function pluginOptions(more: More) {
  const form = 'a JSON object of objects, such as {"plugin": {"option": 1}}';
  return json(mapOf(options, pluginName), {}, { ...more, form });
}

/** Makes the parser of a field that takes only texts for which `read` finds a value. */
function parser<T>(read: (text: string) => T | undefined): (given: unknown) => T {
  return (given) => {
    const value = read(String(given));
    if (value === undefined) throw new WrongValue();
    return value;
  };
}

import { isIP } from 'node:net';
import { parseDuration } from '@horarium/core';

/** A value that is not of the wanted kind; the message says more where there is more to say. */
export class WrongValue extends Error {}

interface Kind<T> {
  readonly kind: string;
  readonly read: (text: string) => T;
}

function kind<T>(words: string, read: (text: string) => T | undefined): Kind<T> {
  return {
    kind: words,
    read: (text) => {
      const value = read(text);
      if (value === undefined) throw new WrongValue();
      return value;
    },
  };
}

/** Whatever is not blank, without the blanks around it. */
export const text: Kind<string> = kind('a text', (given) => given.trim() || undefined);

/** Digits only: neither signs nor fractions. */
export function whole(least: number, most: number): Kind<number> {
  return kind(`a whole number from ${least} to ${most}`, (given) => {
    const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
    return value >= least && value <= most ? value : undefined;
  });
}

/** One of a few words, spelt exactly so. */
export function oneOf<const T extends string>(...values: readonly T[]): Kind<T> {
  return kind(`one of ${values.join(', ')}`, (given) => values.find((value) => value === given));
}

/** A time span with its unit, in milliseconds. */
export function duration(least = 0, most = Infinity): Kind<number> {
  const limits = [least > 0 ? `${least / 1000}s or more` : '', most < Infinity ? `${most / 1000}s at most` : ''];
  const words = ['a duration such as 45s, 15m, 12h or 90d', ...limits].filter(Boolean).join(', ');
  return kind(words, (given) => {
    const value = parseDuration(given);
    return value !== undefined && value >= least && value <= most ? value : undefined;
  });
}

const unitBytes = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

/** `65536`, `64KiB`, `10MiB`, as bytes. */
export const size: Kind<number> = kind('a size such as 64KiB or 10MiB', (given) => {
  const [, count, unit] = /^(\d{1,12})\s?(KiB|MiB|GiB|)$/.exec(given) ?? [];
  return unit === undefined ? undefined : Number(count) * unitBytes[unit as keyof typeof unitBytes];
});

/** Several values with commas between them. */
export function list<T>(each: Kind<T>): Kind<readonly T[]> {
  return kind(`${each.kind}; several are separated by commas`, (given) => {
    const parts = given.split(',').map((part) => part.trim());
    return parts.map((part) => each.read(part));
  });
}

/** The name of a time zone, as it is written in the list of them. */
export const timezone: Kind<string> = kind('a time zone such as Europe/Prague', (given) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
});

/** An http or https address, perhaps with the path that a proxy serves it under; without query or credentials. */
export const webUrl: Kind<string> = kind('an address such as https://jobs.example.com', (given) => {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    return undefined;
  return url.href.replace(/\/$/, '');
});

/** As browsers write where a page comes from: scheme, host and port, nothing else. */
export const origin: Kind<string> = kind('an origin such as https://app.example.com', (given) =>
  URL.canParse(given) && new URL(given).origin === given ? given : undefined,
);

/** One address or one range of addresses: never everyone. */
export const network: Kind<string> = kind('an address or a range such as 10.0.0.0/8, never all of them', (given) => {
  const [address = '', bits, ...more] = given.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return undefined;
  if (bits === undefined) return given;
  const width = /^\d{1,3}$/.test(bits) ? Number(bits) : 0;
  return width >= 1 && width <= (version === 4 ? 32 : 128) ? given : undefined;
});

/** 32 bytes, written in base64. */
export const key: Kind<string> = kind('32 bytes in base64', (given) =>
  /^[A-Za-z0-9+/_-]{43}=?$/.test(given) && Buffer.from(given, 'base64').length === 32 ? given : undefined,
);

type OptionsByName = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Options of plugins, by the plugin's name: `{"executor-native": {"grace": 5}}`. */
export const optionsByName: Kind<OptionsByName> = kind(
  'a JSON object of objects, such as {"plugin": {"option": 1}}',
  (given) => {
    const value = parseJson(given);
    return isObject(value) && Object.values(value).every(isObject) ? (value as OptionsByName) : undefined;
  },
);

function parseJson(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

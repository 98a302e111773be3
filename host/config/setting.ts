import { describeFields, type Field, type FieldDescription, metaOf, type ValueOf } from '@horarium/core';

/** The facts about a machine that settings default to. */
export interface Machine {
  readonly cores: number;
  /** The IANA name of the time zone that TZ says, or else the machine. */
  readonly timezone: string;
  /** Whether the error output is a terminal. */
  readonly terminal: boolean;
}

/** One setting, with the functions that read and show its values. */
export interface Setting<T = unknown> {
  /** The name in the settings file; the environment and the command line derive their spelling from it. */
  readonly name: string;
  /** One sentence for the handbook and `horarium config`. */
  readonly description: string;
  /** The required form of a value, which completes the message `must be …`; null for any text. */
  readonly expected: string | null;
  /** The default, written as text; null for none. */
  readonly default: string | null | ((machine: Machine) => string);
  /** The default in words, where it depends on the machine or is no fixed value. */
  readonly defaultNote?: string;
  /**
   * `whole`: the value is never shown, and not accepted on the command line, where every user of the machine could read
   * it. `part`: `show` masks what is secret. Either may come from a file. @default nothing is secret
   */
  readonly secret?: 'whole' | 'part';
  /** Masks the secret part of a value, so that the rest may be shown. */
  readonly show?: (text: string) => string;
  /** The values, where there are only these. */
  readonly values?: readonly string[];
  /** Whether a value is the path of a file or a folder. @default false */
  readonly path?: boolean;
  /** @throws WrongValue for any other value; its message may give a reason. */
  readonly read: (text: string) => T;
}

/** A value that the setting does not accept. */
export class WrongValue extends Error {}

/** A setting in the table, where its key is its name. */
export type Unnamed<T> = Omit<Setting<T>, 'name'>;

type Details = Pick<Setting, 'defaultNote' | 'secret' | 'show' | 'path'>;

/**
 * Builds a setting from a field. Settings are texts, so the default is written as one; without a default the setting may
 * be null.
 */
export function setting<F extends Field>(
  field: F,
  details: Details & { readonly default: string | ((machine: Machine) => string) },
): Unnamed<NonNullable<ValueOf<F>>>;
export function setting<F extends Field>(field: F, details?: Details): Unnamed<ValueOf<F> | null>;
export function setting(field: Field, details: Details & Pick<Partial<Setting>, 'default'> = {}): Unnamed<unknown> {
  const [row] = describeFields({ value: field }) as [FieldDescription];
  return {
    default: null,
    ...details,
    description: row.description ?? '',
    expected: expectedOf(row),
    ...(row.values && { values: row.values }),
    read: (text) => readText(field, row, text),
  };
}

function expectedOf({ expected, kind, values, min, max }: FieldDescription): string | null {
  if (expected) return expected;
  if (values) return `one of ${values.join(', ')}`;
  if (kind === 'integer') return `a whole number from ${min} to ${max}`;
  return null;
}

function readText(field: Field, { kind }: FieldDescription, text: string): unknown {
  const value = metaOf(field).parse?.(text) ?? parsers[kind]?.(text) ?? text;
  if (value === '' || !field.isValidSync(value, { strict: true })) throw new WrongValue();
  return value;
}

/**
 * Parsers of texts, by the kind of their field; a text of another form stays as it is, and fails the check of the
 * field.
 */
const parsers: Partial<Readonly<Record<FieldDescription['kind'], (text: string) => unknown>>> = {
  text: (text) => text.trim(),
  texts: (text) => splitList(text),
  integer: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : text),
  json: (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  },
};

/** Splits a list at its commas. @throws WrongValue when an item is blank. */
export function splitList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.includes('')) throw new WrongValue();
  return items;
}

/** Names the environment variable of a setting: `HORARIUM_DATABASE_URL`. */
export function variableOf(name: string): string {
  return `HORARIUM_${name.toUpperCase()}`;
}

/** Names the environment variable with the path of the file that holds a secret: `HORARIUM_DATABASE_URL_FILE`. */
export function fileVariableOf(name: string): string {
  return `${variableOf(name)}_FILE`;
}

/** Names the key of the settings file with the path of the file that holds a secret: `database_url_file`. */
export function fileKeyOf(name: string): string {
  return `${name}_file`;
}

/** Names the flag of a setting or a field: `--database-url`. */
export function flagOf(name: string): string {
  return `--${name.replaceAll('_', '-')}`;
}

/** Names the property that holds the value of a flag among the options of a command: `databaseUrl`. */
export function optionKey(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

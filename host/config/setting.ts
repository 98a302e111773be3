/** What settings may depend on when nobody sets them. */
export interface Machine {
  readonly cores: number;
  /** IANA name. */
  readonly timezone: string;
  /** Someone is watching: the error output is a terminal. */
  readonly terminal: boolean;
}

/** One setting: how it is written, read, shown and explained. */
export interface Setting<T = unknown> {
  /** As in the file; the environment and the command line derive their spelling from it. */
  readonly name: string;
  /** One sentence for the table in the README and `horarium config`. */
  readonly meaning: string;
  /** What a value looks like, in words: `a port`, `a duration such as 30s`. */
  readonly kind: string;
  /** What holds when nobody sets it, as one would write it; null = nothing does. */
  readonly initial: string | null | ((machine: Machine) => string);
  /** The default in words, where it depends on the machine. */
  readonly initialNote?: string;
  /** Never shown, and not accepted on the command line, where every user of the machine could read it. */
  readonly secret?: boolean;
  /** What may be shown of a value that holds a secret in part. */
  readonly show?: (text: string) => string;
  /** @throws WrongValue when it is not of the kind; its message is added to the sentence that says so. */
  readonly read: (text: string) => T;
}

type Described<T> = Omit<Setting<T>, 'name' | 'initial'> & { readonly initial: string };
type Unset<T> = Omit<Setting<T>, 'name' | 'initial'>;
type Derived<T> = Omit<Setting<T>, 'name'> & { readonly initial: (machine: Machine) => string };

/** A setting as it is written in the table, where its key is its name. */
export type Unnamed<T> = Omit<Setting<T>, 'name'>;

/** A setting that always has a value. */
export function setting<T>(description: Described<T> | Derived<T>): Unnamed<T> {
  return description;
}

/** A setting that is null unless someone sets it. */
export function optional<T>(description: Unset<T>): Unnamed<T | null> {
  return { ...description, initial: null };
}

/** `database_url` as `HORARIUM_DATABASE_URL`. */
export function variableOf(name: string): string {
  return `HORARIUM_${name.toUpperCase()}`;
}

/** `database_url` as `--database-url`. */
export function flagOf(name: string): string {
  return `--${name.replaceAll('_', '-')}`;
}

/** `database_url` as the options of a command hold it: `databaseUrl`. */
export function optionKey(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

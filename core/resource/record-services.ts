import type { Fields } from '../field/fields.ts';

/** One kind of thing that plugins bring, by name, with the options each takes. */
export interface OptionSchemas {
  get(name: string): { readonly options: Fields } | undefined;
}

/** Keeps texts that must be readable again. The context says what a text belongs to: it opens there only. */
export interface SecretVault {
  /** Tells the newest key, which seals, from others without giving it away. */
  readonly fingerprint: string;
  /** @returns text that begins with `sealedPrefix`. */
  encrypt(plain: string, context: string): string;
  /** @throws HorariumError `unavailable` when its key is missing, the text was changed, or belongs elsewhere. */
  decrypt(sealed: string, context: string): string;
}

/** Turns passwords into what can be compared but not read. */
export interface PasswordHashing {
  hash(password: string): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
  /** Whether the hash was made with weaker settings than `hash` uses now. */
  needsRehash(hash: string): boolean;
}

/** The service around the records: what saving one may ask for beyond the tables. */
export interface RecordServices {
  /** The service's time zone, an IANA name. */
  readonly timezone: string;
  readonly executors: OptionSchemas;
  readonly actions: OptionSchemas;
  readonly eventSourceKinds: OptionSchemas;
  readonly vault: SecretVault;
  readonly hasher: PasswordHashing;
  /** @throws Error that says why this is no regular expression which can be matched in linear time. */
  checkPattern(pattern: string): void;
}

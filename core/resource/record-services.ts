import type { Fields } from '../field/field-meta.ts';
import type { PasswordHasher } from '../secret/password-hasher.ts';
import type { Vault } from '../secret/vault.ts';
import type { Tables } from '../store/store.ts';
import type { RowValues } from '../store/table.ts';

/** The fields of an App that say what it runs. */
export interface Executable {
  readonly executable: string;
  readonly arguments: readonly string[];
  readonly oci_image: string | null;
}

/** Variables that make the same programs load or run code. */
export interface ForbiddenVariables {
  /** The programs that honour them. */
  readonly programs: string;
  /** Completes the sentence "PROGRAMS …": `load libraries from there`. */
  readonly effect: string;
  /** `*` stands for any text. */
  readonly names: readonly string[];
  /** Whether the programs ignore the case of the names. @default false */
  readonly ignoresCase?: boolean;
}

/** The agents that a job is for, and how they run it. */
export interface Assignment {
  readonly pool: string;
  /** Labels that an agent must have: `{ arch: 'arm64' }`. */
  readonly labels: Readonly<Record<string, string>>;
  /**
   * The executor on the machine of the agent. Its rules hold for the job, so a plugin provides it here as well, also where
   * it could run nothing.
   */
  readonly executor: string;
  readonly options: RowValues;
}

/** What a save needs to know of an executor; see `Executor`. */
export interface ExecutorSchema {
  readonly options: Fields;
  readonly forbiddenVariables?: readonly ForbiddenVariables[];
  recognizes?(app: Executable): boolean;
  addressOf?(app: Executable): string;
  missingProgram?(executable: string): Promise<string | null>;
  refuse?(options: RowValues, runAs: string | null): string | null;
  usualUser?(): string | null;
  assignment?(options: RowValues): Assignment;
  placementRefusal?(tables: Tables, placement: Omit<Assignment, 'options'>, company: number): Promise<string | null>;
}

/** The executors by name. */
export type ExecutorSchemas = ReadonlyMap<string, ExecutorSchema>;

/** The options of each action, by the name under which a plugin registers it. */
export interface ActionSchemas {
  keys(): Iterable<string>;
  get(name: string):
    | {
        readonly options: Fields;
        readonly adminOnly?: boolean;
        readonly address?: readonly string[];
        refuse?(options: RowValues): string | null;
      }
    | undefined;
}

/** The options of each event source kind, and the columns of its changes where every source of the kind has the same. */
export interface EventSourceSchemas {
  keys(): Iterable<string>;
  get(
    name: string,
  ):
    | { readonly options: Fields; readonly address?: readonly string[]; readonly columns?: readonly string[] }
    | undefined;
}

/** The options of each calendar rule, and which days of a year are off by it; see `CalendarRule`. */
export interface CalendarRuleSchemas {
  keys(): Iterable<string>;
  get(name: string): CalendarRuleSchema | undefined;
}

export interface CalendarRuleSchema {
  readonly options: Fields;
  refuse?(options: RowValues): string | null;
  daysOff(options: RowValues, year: number): readonly { readonly date: string; readonly name: string }[];
}

/** The parts of the service that saving a record uses, besides the tables. */
export interface RecordServices {
  /** The service's time zone, an IANA name. */
  readonly timezone: string;
  /** How many active templates a company may have; Infinity = any number. */
  readonly maxTemplates: number;
  readonly executors: ExecutorSchemas;
  readonly actions: ActionSchemas;
  readonly eventSourceKinds: EventSourceSchemas;
  readonly calendarRules: CalendarRuleSchemas;
  readonly vault: Vault;
  readonly passwordHasher: PasswordHasher;
  /** Returns why the programs of a company cannot run as that user of the operating system; null = they can. */
  userRefusal(user: string): string | null;
  /** @throws Error that says why this is not a regular expression which can be matched in linear time. */
  checkPattern(pattern: string): void;
}

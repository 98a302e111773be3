import type { ArtifactPattern, ExitCode, Variable } from './declarations.ts';
import type { Translated } from './localized.ts';

type Named<T> = Readonly<Record<string, T>>;

/**
 * What an import says of an App: fields of the record, ready to be saved. A field left out is not the import's business
 * and stays as it is; null clears.
 */
export interface AppInput {
  /** What makes a second import an update. */
  readonly uuid: string;
  readonly code?: string | null;
  readonly name: string;
  readonly description?: string | null;
  readonly version?: string | null;
  readonly enabled?: boolean;
  readonly executable: string;
  readonly arguments?: readonly string[];
  readonly stdin?: string | null;
  readonly setup?: string | null;
  readonly deploy?: string | null;
  readonly homepage?: string | null;
  readonly image?: string | null;
  readonly oci_image?: string | null;
  readonly helm_chart?: string | null;
  readonly tags?: readonly string[];
  /** Names where the record has ids: whoever saves it finds the topics, or makes them. */
  readonly topic_names?: readonly string[];
  readonly requirements?: readonly string[];
  readonly environment?: Named<Variable>;
  readonly exit_codes?: Named<ExitCode>;
  readonly result_file?: string | null;
  readonly artifacts?: readonly ArtifactPattern[];
  readonly produces?: Named<unknown>;
  readonly consumes?: Named<unknown>;
  /** The languages of a text, by the path of the field that holds it: `environment.KEY.description`. */
  readonly translations?: Named<Translated>;
  readonly extra?: Named<unknown>;
}

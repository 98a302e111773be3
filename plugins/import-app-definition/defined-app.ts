import type { ArtifactPattern, ExitCode, Variable } from '@horarium/core/plugin';
import type { Translated } from './localized.ts';

type StringMap<T> = Readonly<Record<string, T>>;

/** The fields of an App that a definition sets. A missing field leaves the stored value unchanged; null clears it. */
export interface DefinedApp {
  /** The natural key: a second import of a definition updates the App of the first. */
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
  readonly executors?: readonly string[];
  readonly helm_chart?: string | null;
  readonly tags?: readonly string[];
  /** The names of the topics, in place of the ids in the record's `topics`. */
  readonly topic_names?: readonly string[];
  readonly requirements?: readonly string[];
  readonly environment?: StringMap<Variable>;
  readonly exit_codes?: StringMap<ExitCode>;
  readonly result_file?: string | null;
  readonly artifacts?: readonly ArtifactPattern[];
  readonly produces?: StringMap<unknown>;
  readonly consumes?: StringMap<unknown>;
  /** The translations of each localized text, by the path of its field, such as `environment.KEY.description`. */
  readonly translations?: StringMap<Translated>;
  readonly extra?: StringMap<unknown>;
}

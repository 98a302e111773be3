import type { ArtifactPattern, ExitCode, Variable } from '@horarium/core/plugin';
import type { Translated } from './localized.ts';

type Named<T> = Readonly<Record<string, T>>;

/** The fields of an App that a definition sets. A field that is left out stays as it is; null clears it. */
export interface AppInput {
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
  readonly helm_chart?: string | null;
  readonly tags?: readonly string[];
  /** Names in place of the record's ids. */
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

import { App, type AppRow } from '../../app/app.ts';
import { Artifact, ArtifactContent, type ArtifactRow } from '../../job/artifact.ts';
import { Job, type JobRow } from '../../job/job.ts';
import { readByIds } from '../../store/rows.ts';
import type { Tables } from '../../store/store.ts';
import type { EventRow } from '../event.ts';
import { columnParser, type Selectable } from './selector.ts';

type EndedJob = Pick<JobRow, 'id' | 'app_id' | 'exit_code' | 'state' | 'reason'>;
type StoredFile = Pick<ArtifactRow, 'id' | 'job_id' | 'filename' | 'size'>;

/** The maximum size of a result file that selectors read, in bytes. */
const maxResult = 1024 * 1024;

/** Whether a path matches the pattern of an App's artifact, anywhere in it. */
export type PatternMatcher = (pattern: string, path: string) => boolean;

/** The jobs that events tell of, with their Apps and what they left. */
export interface EndedJobs {
  readonly jobs: ReadonlyMap<number, EndedJob>;
  readonly apps: ReadonlyMap<number, Pick<AppRow, 'id' | 'artifacts' | 'result_file'>>;
  readonly files: ReadonlyMap<number, readonly StoredFile[]>;
  /** The texts of result files that are not too large, by the ids of their artifacts. */
  readonly results: ReadonlyMap<number, string>;
}

/** Reads what selectors of chains may need of the jobs of these events, by a few queries for all of them. */
export async function readEndedJobs(tables: Tables, events: readonly EventRow[]): Promise<EndedJobs> {
  const ids = [...new Set(events.flatMap((event) => (event.kind === 'source' ? [] : (event.job_id ?? []))))];
  if (ids.length === 0) return { jobs: new Map(), apps: new Map(), files: new Map(), results: new Map() };
  const [jobs, artifacts] = await Promise.all([
    readByIds(tables, Job, ids, ['id', 'app_id', 'exit_code', 'state', 'reason']),
    tables.of(Artifact).find({ where: [['job_id', 'in', ids]], columns: ['id', 'job_id', 'filename', 'size'] }),
  ]);
  const appIds = [...jobs.values()].map((job) => job.app_id);
  const apps = await readByIds(tables, App, appIds, ['id', 'artifacts', 'result_file']);
  const results = artifacts.filter(({ job_id, filename, size }) => {
    const app = apps.get(jobs.get(job_id)?.app_id ?? 0);
    return filename === resultFileOf(app) && size <= maxResult;
  });
  return {
    jobs,
    apps,
    files: Map.groupBy(artifacts, (artifact) => artifact.job_id),
    results: await readResults(
      tables,
      results.map(({ id }) => id),
    ),
  };
}

async function readResults(tables: Tables, ids: readonly number[]): Promise<EndedJobs['results']> {
  if (ids.length === 0) return new Map();
  const order = [['seq', 'asc']] as const;
  const pieces = await tables.of(ArtifactContent).find({ where: [['artifact_id', 'in', ids]], order });
  const byArtifact = Map.groupBy(pieces, (piece) => piece.artifact_id);
  const decoded = ids.map((id): [number, string] => {
    const decoder = new TextDecoder();
    const texts = (byArtifact.get(id) ?? []).map(({ content }) => decoder.decode(content, { stream: true }));
    return [id, texts.join('') + decoder.decode()];
  });
  return new Map(decoded);
}

/** Returns the path of an App's result file as the artifact has it; null where it declares none. */
function resultFileOf(app: Pick<AppRow, 'result_file'> | undefined): string | null {
  return app?.result_file?.replace(/^(\.\/+)+/, '') ?? null;
}

/** The columns that selectors of chains read. */
export const endColumns = ['event', 'job_id', 'task_id', 'runtemplate_id', 'exit_code', 'state', 'reason'] as const;

/** Returns what the selectors of a rule read of an event. */
export function selectableOf(event: EventRow, ended: EndedJobs, matches: PatternMatcher): Selectable {
  const parse = columnParser();
  if (event.kind === 'source') {
    const files = () => noFile('a source leaves no files');
    return { columns: event.payload, document: () => event.payload, parse, files };
  }
  const job = ended.jobs.get(event.job_id ?? 0);
  const app = ended.apps.get(job?.app_id ?? 0);
  const files = ended.files.get(job?.id ?? 0) ?? [];
  let result: { readonly value: unknown } | undefined;
  return {
    parse,
    columns: {
      event: event.event,
      job_id: event.job_id,
      task_id: event.task_id,
      runtemplate_id: event.runtemplate_id,
      exit_code: job?.exit_code ?? null,
      state: job?.state ?? null,
      reason: job?.reason ?? null,
    } satisfies Record<(typeof endColumns)[number], unknown>,
    document() {
      result ??= { value: resultOf(files, resultFileOf(app), ended.results) };
      return result.value;
    },
    files(name) {
      const pattern = app?.artifacts.find((artifact) => artifact.name === name)?.path;
      const isResult = name === app?.result_file;
      const found = files.filter(
        ({ filename }) => (isResult && filename === resultFileOf(app)) || (pattern && matches(pattern, filename)),
      );
      return found.length > 0 ? found : noFile(`its job left no file ${name}`);
    },
  };
}

function noFile(sentence: string): never {
  throw new Error(sentence);
}

function resultOf(files: readonly StoredFile[], name: string | null, results: EndedJobs['results']): unknown {
  const file = files.find(({ filename }) => filename === name);
  if (!file) throw new Error(`its job left no result file${name === null ? '' : ` ${name}`}`);
  const content = results.get(file.id);
  if (content === undefined) throw new Error(`${name} has ${file.size} bytes, and selectors read at most ${maxResult}`);
  try {
    return JSON.parse(content);
  } catch {
    throw new Error(`${name} is not JSON`);
  }
}

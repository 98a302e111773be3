import { App, type AppRow } from '../../app/app.ts';
import { Artifact, ArtifactContent, type ArtifactRow } from '../../job/artifact.ts';
import { Job, type JobRow } from '../../job/job.ts';
import type { Tables } from '../../store/store.ts';
import type { EventRow } from '../event.ts';
import type { EventRuleRow } from '../rule/event-rule.ts';
import { columnParser, type endColumns, readsFiles, readsResult, type Selectable } from '../rule/selector.ts';

type StoredFile = Pick<ArtifactRow, 'id' | 'filename' | 'size'>;

/** The maximum size of a result file that selectors read, in bytes. */
const maxResult = 1024 * 1024;

/** Whether the pattern of an App's artifact matches any part of a path. */
export type PatternMatcher = (pattern: string, path: string) => boolean;

/** The job whose end an event reports, as far as the selectors of its rules read it. */
export interface EventJob {
  readonly job?: Pick<JobRow, 'id' | 'app_id' | 'exit_code' | 'state' | 'reason'> | undefined;
  readonly app?: Pick<AppRow, 'id' | 'artifacts' | 'result_file'> | undefined;
  readonly files: readonly StoredFile[];
  /** The text of its result file; null where there is none, or it is too large. */
  readonly result: string | null;
}

/** Reads what the selectors of these rules need of the job whose end an event reports. */
export async function readEndedJob(
  tables: Tables,
  event: Pick<EventRow, 'kind' | 'job_id'>,
  rules: readonly Pick<EventRuleRow, 'env_mapping'>[],
): Promise<EventJob> {
  const none: EventJob = { files: [], result: null };
  if (event.kind === 'source' || event.job_id === null) return none;
  const columns = ['id', 'app_id', 'exit_code', 'state', 'reason'] as const;
  const [job] = await tables.of(Job).find({ where: [['id', '=', event.job_id]], columns });
  const selectors = rules.flatMap(({ env_mapping }) => Object.values(env_mapping));
  const needsResult = selectors.some(readsResult);
  if (!job || !(needsResult || selectors.some(readsFiles))) return { ...none, job };
  const [[app], files] = await Promise.all([
    tables.of(App).find({ where: [['id', '=', job.app_id]], columns: ['id', 'artifacts', 'result_file'] }),
    tables.of(Artifact).find({ where: [['job_id', '=', job.id]], columns: ['id', 'filename', 'size'] }),
  ]);
  const file = needsResult ? files.find(({ filename }) => filename === resultFileOf(app)) : undefined;
  const result = file && file.size <= maxResult ? await readText(tables, file.id) : null;
  return { job, app, files, result };
}

async function readText(tables: Tables, artifactId: number): Promise<string> {
  const order = [['seq', 'asc']] as const;
  const pieces = await tables.of(ArtifactContent).find({ where: [['artifact_id', '=', artifactId]], order });
  const decoder = new TextDecoder();
  return pieces.map(({ content }) => decoder.decode(content, { stream: true })).join('') + decoder.decode();
}

/** Returns the path of an App's result file as the artifact has it; null where it declares none. */
function resultFileOf(app: EventJob['app']): string | null {
  return app?.result_file?.replace(/^(\.\/+)+/, '') ?? null;
}

/**
 * Returns what the selectors of rules read of an event. The result is parsed, and a pattern matched against all files, once
 * for all of them, also where that fails.
 */
export function selectableOf(event: EventRow, ended: EventJob, matches: PatternMatcher): Selectable {
  const parse = columnParser();
  if (event.kind === 'source') {
    const files = () => noFile('a source leaves no files');
    return { columns: event.payload, document: () => event.payload, parse, files };
  }
  const { job, app, files } = ended;
  const result = remembered(() => resultOf(ended));
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
    document: () => result(null),
    files: remembered((name: string) => {
      const pattern = app?.artifacts.find((artifact) => artifact.name === name)?.path;
      const isResult = name === app?.result_file;
      const found = files.filter(
        ({ filename }) => (isResult && filename === resultFileOf(app)) || (pattern && matches(pattern, filename)),
      );
      return found.length > 0 ? found : noFile(`its job left no file ${name}`);
    }),
  };
}

/** Returns a function that computes its result once for each argument, and throws again what that threw. */
function remembered<A, T>(compute: (argument: A) => T): (argument: A) => T {
  const outcomes = new Map<A, () => T>();
  return (argument) => {
    let outcome = outcomes.get(argument);
    if (!outcome) {
      outcome = outcomeOf(() => compute(argument));
      outcomes.set(argument, outcome);
    }
    return outcome();
  };
}

function outcomeOf<T>(compute: () => T): () => T {
  try {
    const value = compute();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function noFile(sentence: string): never {
  throw new Error(sentence);
}

function resultOf({ app, files, result }: EventJob): unknown {
  const name = resultFileOf(app);
  const file = files.find(({ filename }) => filename === name);
  if (!file) throw new Error(`its job left no result file${name === null ? '' : ` ${name}`}`);
  if (result === null) throw new Error(`${name} has ${file.size} bytes, and selectors read at most ${maxResult}`);
  try {
    return JSON.parse(result);
  } catch {
    throw new Error(`${name} is not JSON`);
  }
}

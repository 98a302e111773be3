import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The shell script of a job that records in files when each attempt began and ended. The attempt and its children lock two
 * files until the last of them has ended, one of the Task and one of the template, and an attempt that finds a file locked
 * records it: thus the kernel detects two attempts that run at the same time.
 */
const script = (work: string) => `folder=$1 may_overlap=$2 fail_every=$3
record() { echo "$1 $HORARIUM_JOB_ID $$ $(date +%s%3N)" >>"$folder/runs"; }
exec 8>>"$folder/task-\${HORARIUM_TASK_ID:-none-$HORARIUM_JOB_ID}"
flock -n 8 || record task-taken
if [ "$may_overlap" = false ]; then
  exec 9>>"$folder/template-$HORARIUM_RUNTEMPLATE_ID"
  flock -n 9 || record template-taken
fi
record start
(sleep 1000 &)
${work}
record end
exit $((fail_every > 0 && HORARIUM_JOB_ID % fail_every == 0))
`;

/** What an attempt does between its records, if nothing else is chosen. */
const waiting = 'sh -c "sleep 0.$((HORARIUM_JOB_ID * 37 % 90 + 10)); true" & wait $!';

/** One run of an attempt, as its script recorded it. */
export interface RecordedRun {
  readonly jobId: number;
  readonly pid: number;
  readonly from: number;
  /** Null for an attempt that was killed. */
  to: number | null;
}

export interface Recorded {
  readonly runs: readonly RecordedRun[];
  /** Attempts that ran at the same time as another one, a sentence each. */
  readonly clashes: readonly string[];
}

export interface RecordingOptions {
  /** Whether jobs of one template may run at the same time. */
  readonly mayOverlap: boolean;
  /** Jobs whose id this number divides exit with 1; 0 = none. */
  readonly failEvery: number;
  /** What its attempts do between their records, as a script of the shell. All jobs of a folder do the same. @default they wait */
  readonly work?: string;
}

/** Returns the arguments with which `/bin/sh` runs a job that records its runs in the folder. */
export function recordingShell(folder: string, { mayOverlap, failEvery, work = waiting }: RecordingOptions): string[] {
  const file = join(folder, 'record.sh');
  if (!existsSync(file)) writeFileSync(file, script(work));
  return [file, folder, String(mayOverlap), String(failEvery)];
}

/** Reads the runs that the jobs recorded in a folder. */
export function readRecordedRuns(folder: string): Recorded {
  const runs: RecordedRun[] = [];
  const running = new Map<string, RecordedRun>();
  const clashes: string[] = [];
  const file = join(folder, 'runs');
  // None has run yet.
  if (!existsSync(file)) return { runs, clashes };
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  for (const line of lines) {
    const [event, job, pid, time] = line.split(' ') as [string, string, string, string];
    const key = `${job} ${pid}`;
    if (event === 'start') {
      const run: RecordedRun = { jobId: Number(job), pid: Number(pid), from: Number(time), to: null };
      runs.push(run);
      running.set(key, run);
    } else if (event === 'end') {
      const run = running.get(key);
      if (run) run.to = Number(time);
    } else clashes.push(`Job ${job} (process ${pid}) ran at the same time as another attempt at ${time}: ${event}.`);
  }
  return { runs, clashes };
}

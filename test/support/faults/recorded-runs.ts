import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A job that records in files next to the store when each attempt really began and ended. It and its children lock two
 * files until the last of them has ended, one of the Task and one of the template, and an attempt that finds a file locked
 * records it: so the kernel itself notices two attempts that live at once.
 */
const script = `folder=$1 overlap=$2 fails=$3
say() { echo "$1 $HORARIUM_JOB_ID $$ $(date +%s%3N)" >>"$folder/runs"; }
exec 8>>"$folder/task-\${HORARIUM_TASK_ID:-none-$HORARIUM_JOB_ID}"
flock -n 8 || say task-taken
if [ "$overlap" != allow ]; then
  exec 9>>"$folder/template-$HORARIUM_RUNTEMPLATE_ID"
  flock -n 9 || say template-taken
fi
say start
(sleep 1000 &)
sh -c "sleep 0.$((HORARIUM_JOB_ID * 37 % 90 + 10)); true" & wait $!
say end
exit $((fails > 0 && HORARIUM_JOB_ID % fails == 0))
`;

/** One run of an attempt, as it recorded itself. */
export interface RecordedRun {
  readonly jobId: number;
  readonly pid: number;
  readonly from: number;
  /** Null for an attempt that was killed. */
  to: number | null;
}

export interface Recorded {
  readonly runs: readonly RecordedRun[];
  /** The records of attempts that found another one alive. */
  readonly clashes: readonly string[];
}

/** The words that make a shell run such a job. @param fails Every so many jobs end with 1; 0 = none. */
export function recordingShell(folder: string, overlap: 'allow' | 'forbid', fails: number): string[] {
  const file = join(folder, 'record.sh');
  if (!existsSync(file)) writeFileSync(file, script);
  return [file, folder, overlap, String(fails)];
}

export function recordedRuns(folder: string): Recorded {
  const runs: RecordedRun[] = [];
  const open = new Map<string, RecordedRun>();
  const clashes: string[] = [];
  const lines = readFileSync(join(folder, 'runs'), 'utf8').trimEnd().split('\n');
  for (const line of lines) {
    const [what, job, pid, time] = line.split(' ') as [string, string, string, string];
    const key = `${job} ${pid}`;
    if (what === 'start') {
      const run: RecordedRun = { jobId: Number(job), pid: Number(pid), from: Number(time), to: null };
      runs.push(run);
      open.set(key, run);
    } else if (what === 'end') {
      const run = open.get(key);
      if (run) run.to = Number(time);
    } else clashes.push(`Job ${job} (process ${pid}) found at ${time} that another attempt lived: ${what}.`);
  }
  return { runs, clashes };
}

import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Message } from '../../data/problem.ts';
import { followOutput } from './follow-output.ts';
import { OutputLog } from './output-log.ts';

interface ReadOutput {
  readonly log: OutputLog;
  /** Grows whenever lines were added. */
  readonly version: Signal<number>;
  readonly isComplete: Signal<boolean>;
  /** Why it cannot be read now; null = it can. */
  readonly problem: Signal<Message | null>;
}

/** Reads the output of a job while the view is open. @param jobId null = of none. */
export function useOutput(jobId: number | null): ReadOutput {
  const log = useMemo(() => new OutputLog(), [jobId]);
  const version = useSignal(0);
  const isComplete = useSignal(false);
  const problem = useSignal<Message | null>(null);
  useEffect(() => {
    isComplete.value = false;
    problem.value = null;
    version.value++;
    if (jobId === null) return undefined;
    return followOutput(jobId, log, {
      onLines: () => version.value++,
      onEnd: () => {
        isComplete.value = true;
      },
      onProblem: (message) => {
        problem.value = message;
      },
    });
  }, [log]);
  return { log, version, isComplete, problem };
}

import { Mentioned, partsOf } from '../data/mentioned.ts';
import { inOwnZone, read } from '../data/request.ts';
import type { WhyAnswer } from '../data/why.ts';
import type { ProblemOfSummary } from './answers.ts';

interface Explanation extends WhyAnswer {
  readonly kind: 'Task' | 'RunTemplate';
  readonly id: number;
  readonly runtemplate_id: number;
  readonly company_id: number;
}

/** How many records one answer explains. */
const maxAtOnce = 20;

/** What is explained, by a key that is another one once the problem is: `Task 12 failed 34`. */
function keyOf({ kind, task_id, job_id, runtemplate_id }: ProblemOfSummary): string | null {
  if (task_id !== null) return `Task ${task_id} ${kind} ${job_id}`;
  return runtemplate_id === null ? null : `RunTemplate ${runtemplate_id} ${kind} ${job_id}`;
}

const subjectOf = (key: string) => key.split(' ', 2).join(' ');

function idsOf(subjects: readonly string[], kind: Explanation['kind']): string {
  return subjects.flatMap((subject) => (subject.startsWith(`${kind} `) ? subject.slice(kind.length + 1) : [])).join();
}

const explanations = new Mentioned<Explanation>({
  max: 1000,
  batchesOf: (keys) => partsOf(keys, maxAtOnce),
  readSome: async (keys) => {
    const subjects = [...new Set(keys.map(subjectOf))];
    const query = { task_id: idsOf(subjects, 'Task'), runtemplate_id: idsOf(subjects, 'RunTemplate') };
    const found = await read<readonly Explanation[]>(inOwnZone('/console/why'), query);
    const bySubject = new Map(found.map((each) => [`${each.kind} ${each.id}`, each]));
    return new Map(
      keys.flatMap((key) => {
        const explanation = bySubject.get(subjectOf(key));
        return explanation ? [[key, explanation] as const] : [];
      }),
    );
  },
  changedBy: ({ entity_type, entity_id }, known) =>
    [...known].flatMap(([key, explanation]) => (isAbout(entity_type, entity_id, explanation) ? key : [])),
});

/** Whether a change may have changed what is known of a problem. */
function isAbout(kind: string, id: number, explanation: Explanation | null): boolean {
  if (kind === 'RunTemplate') return explanation?.runtemplate_id === id;
  if (kind === 'Company') return explanation?.company_id === id;
  return kind === 'App' || kind === 'Credential';
}

/** Returns why a problem is one, as far as that is known: the explanations of all that are shown come in one answer. */
export function explanationOf(problem: ProblemOfSummary): WhyAnswer | null {
  const key = keyOf(problem);
  return key === null ? null : (explanations.get(key) ?? null);
}

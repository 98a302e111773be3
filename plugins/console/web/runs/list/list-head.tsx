import { hrefOf } from '../../app/router.ts';
import { words } from '../../words/words.ts';

interface ListHeadProps {
  readonly of: 'runs' | 'jobs';
  readonly title: string;
}

/** The headline of a list of runs, with the switch between those that were owed and those that were not. */
export function ListHead({ of, title }: ListHeadProps) {
  const text = words.value.runs;
  const current = (list: string) => (list === of ? 'page' : undefined);
  return (
    <>
      <h1>{title}</h1>
      <nav class="switch" aria-label={text.lists}>
        <a href={hrefOf('/runs')} aria-current={current('runs')}>
          {text.owed}
        </a>
        <a href={hrefOf('/jobs')} aria-current={current('jobs')}>
          {text.adHoc}
        </a>
      </nav>
    </>
  );
}

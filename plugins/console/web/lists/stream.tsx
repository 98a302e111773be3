import { type ComponentChildren, Fragment } from 'preact';
import { hrefOf } from '../app/router.ts';
import { type Live, type Page, useLivePage } from '../data/answer.ts';
import { Answered } from '../parts/answered.tsx';
import { narrowedList, pathOfList } from './narrowed.ts';
import { Pages } from './pages.tsx';
import { startOfToday } from './period.tsx';

interface StreamWords {
  readonly title: string;
  readonly about: string;
  today(count: string): string;
  found(count: string): string;
  /** Where none is like the filters say. */
  readonly none: string;
  /** Where there is none at all. */
  readonly noneYet: string;
}

interface StreamProps<T> {
  /** The list, which is also the view. */
  readonly list: 'events' | 'deliveries';
  /** The parameters that narrow the list, beside the period. */
  readonly parameters: readonly string[];
  /** When it is read again. */
  readonly live: { readonly kinds: readonly string[]; readonly every: number };
  readonly text: StreamWords;
  /** The state of those that need a person, and what the headline says of them. */
  readonly needing: { readonly state: string; sentence(count: string): string };
  readonly filters: ComponentChildren;
  /** What a person does first, where there is none at all. */
  readonly begin: ComponentChildren;
  readonly children: (rows: readonly T[]) => ComponentChildren;
}

/** What the service does all the time, such as its notices: the newest first, with those that need a person in the headline. */
export function Stream<T>({ parameters, filters, begin, children, ...head }: StreamProps<T>) {
  const { list, live, text } = head;
  const { path, isNarrowed } = narrowedList(list, parameters);
  const page = useLivePage<T>(path, live);
  return (
    <>
      <Headline page={page} isNarrowed={isNarrowed} {...head} />
      <div class="filters">{filters}</div>
      <Answered of={page}>
        {(value) => (
          <>
            {value.rows.length > 0 ? (
              <div class="stream">
                <Fragment key={path}>{children(value.rows)}</Fragment>
              </div>
            ) : (
              <>
                <p class="soft">{isNarrowed ? text.none : text.noneYet}</p>
                {!isNarrowed && <p class="acts">{begin}</p>}
              </>
            )}
            <Pages of={value} />
          </>
        )}
      </Answered>
    </>
  );
}

interface HeadlineProps extends Pick<StreamProps<unknown>, 'list' | 'live' | 'text' | 'needing'> {
  readonly page: Live<Page<unknown>>;
  readonly isNarrowed: boolean;
}

function Headline({ list, live, text, needing: { state, sentence }, page, isNarrowed }: HeadlineProps) {
  const today = useLivePage(isNarrowed ? null : pathOfList(list, { limit: '1', from: startOfToday() }), live);
  const needing = useLivePage(pathOfList(list, { limit: '1', state }), live);
  const count = isNarrowed ? page.value?.total : today.value?.total;
  const needingCount = needing.value?.total ?? '0';
  return (
    <>
      <h1>
        {count === undefined ? text.title : isNarrowed ? text.found(count) : text.today(count)}{' '}
        {needingCount !== '0' && (
          <b>
            <a href={hrefOf(`/${list}?state=${state}`)}>{sentence(needingCount)}</a>
          </b>
        )}
      </h1>
      <p class="sub">{text.about}</p>
    </>
  );
}

import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { bindKeys } from '../../app/keys.ts';
import { lazy } from '../../app/lazy.tsx';
import { query, setQuery } from '../../app/router.ts';
import { urlOf } from '../../data/request.ts';
import { Mistake } from '../../parts/mistake.tsx';
import { exactText, secondText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';
import { Find } from './find.tsx';
import { FindLines } from './find-lines.ts';
import { LineText } from './line-text.tsx';
import type { OutputLog } from './output-log.ts';
import { useColumns } from './use-columns.ts';
import { useOutput } from './use-output.ts';
import { heightOf, showRow, VirtualLines } from './virtual-lines.tsx';
import { WrappedRows, widthOf } from './wrapped-rows.ts';

const Comparison = lazy(() => import('./comparison.tsx').then((module) => module.Comparison));

interface OutputProps {
  readonly jobId: number;
  readonly title: string;
  /** The job that succeeded last before it; null = none is known. */
  readonly success: number | null;
}

/** What a job wrote to its standard output and its errors, as it writes it. */
export function Output({ jobId, title, success }: OutputProps) {
  const text = words.value.runs.output;
  const { log, version, isComplete, problem } = useOutput(jobId);
  const box = useRef<HTMLElement>(null);
  useEffect(() => bindKeys({ o: () => box.current?.focus() }), []);
  const isFollowing = useSignal(true);
  const isFinding = useSignal(query.value.has('find'));
  void version.value;
  const isCompared = success !== null && query.value.get('compare') === '1';
  const isTimed = query.value.get('times') === '1';
  const isNarrow = useMemo(() => matchMedia('(max-width: 800px)').matches, []);
  const isWrapped = (query.value.get('wrap') ?? (isNarrow ? '1' : '0')) === '1';
  const digits = String(log.count + log.dropped).length;
  const columns = useColumns(box, isWrapped, `${jobId} ${isCompared} ${isTimed} ${log.count > 0 && digits}`);
  const rows = useMemo(
    () => (isWrapped && columns > 0 ? new WrappedRows((line) => widthOf(log.line(line)?.text ?? ''), columns) : null),
    [log, log.dropped, isWrapped, columns],
  );
  rows?.grow(log.count, log.settled);
  const show = (line: number) => showRow(box.current, rows?.before(line) ?? line);
  const chosen = Number(query.value.get('line')) || null;
  const needle = (query.value.get('find') ?? '').toLowerCase();
  const finder = useMemo(() => new FindLines(log, needle), [log, needle]);
  const searched = useSignal(0);
  void searched.value;
  useEffect(() => {
    finder.search(() => searched.value++);
  });
  useEffect(() => () => finder.stop(), [finder]);
  useEffect(() => {
    isFollowing.value = chosen === null && needle === '';
  }, [jobId]);
  const open = () => {
    isFinding.value = true;
  };
  useEffect(() => bindKeys({ f: open }), []);
  const hasChosen = chosen !== null && log.count + log.dropped >= chosen;
  useLayoutEffect(() => {
    if (hasChosen && chosen !== null) show(chosen - 1 - log.dropped);
  }, [hasChosen, chosen, rows]);
  const isEmpty = log.count === 0;
  return (
    <div class="output" id="output">
      <h2>
        {title} <span>{text.lines(log.count + log.dropped)}</span>
      </h2>
      <div class="tools">
        {!isComplete.value && (
          <label>
            <input
              type="checkbox"
              checked={isFollowing.value}
              onChange={({ currentTarget }) => {
                isFollowing.value = currentTarget.checked;
              }}
            />{' '}
            {text.follow}
          </label>
        )}
        {!isEmpty && !isCompared && (
          <button type="button" class="link" aria-expanded={isFinding.value} onClick={open}>
            {text.find}{' '}
            <span class="key" aria-hidden="true">
              F
            </span>
          </button>
        )}
        {!isEmpty && (
          <button
            type="button"
            class="link"
            aria-pressed={isTimed}
            onClick={() => setQuery({ times: isTimed ? null : '1' })}
          >
            {text.times}
          </button>
        )}
        {!isEmpty && !isCompared && (
          <button
            type="button"
            class="link"
            aria-pressed={isWrapped}
            onClick={() => setQuery({ wrap: isWrapped ? '0' : '1' })}
          >
            {text.wrap}
          </button>
        )}
        {!isEmpty && (
          <a href={urlOf(`/job/${jobId}/output.json`, { download: true })} download={`job-${jobId}.log`}>
            {text.download}
          </a>
        )}
        {success !== null && (
          <button
            type="button"
            class="link"
            aria-pressed={isCompared}
            onClick={() => setQuery({ compare: isCompared ? null : '1' })}
          >
            {text.compare}
          </button>
        )}
      </div>
      {isFinding.value && !isCompared && (
        <Find
          found={finder.found}
          onShow={(line) => {
            isFollowing.value = false;
            setQuery({ line: String(line + 1) });
            show(line - log.dropped);
          }}
          onClose={() => {
            isFinding.value = false;
            setQuery({ find: null });
            box.current?.focus();
          }}
        />
      )}
      <Mistake of={problem.value} />
      {isCompared ? (
        <Comparison log={log} version={version.value} isComplete={isComplete.value} success={success} />
      ) : isEmpty ? (
        <p class="soft">{isComplete.value ? text.nothing : text.nothingYet}</p>
      ) : (
        <Lines
          log={log}
          rows={rows}
          title={title}
          box={box}
          needle={needle}
          chosen={chosen}
          isTimed={isTimed}
          isAtEnd={isFollowing.value}
          onAtEnd={(isAtEnd) => {
            isFollowing.value = isAtEnd && !isComplete.value;
          }}
        />
      )}
    </div>
  );
}

interface LinesProps {
  readonly log: OutputLog;
  /** Null = long lines are not broken. */
  readonly rows: WrappedRows | null;
  readonly title: string;
  readonly box: RefObject<HTMLElement | null>;
  readonly needle: string;
  readonly chosen: number | null;
  readonly isTimed: boolean;
  readonly isAtEnd: boolean;
  readonly onAtEnd: (isAtEnd: boolean) => void;
}

function Lines({ log, rows, title, box, needle, chosen, isTimed, isAtEnd, onAtEnd }: LinesProps) {
  const text = words.value.runs.output;
  return (
    <>
      {log.dropped > 0 && <p class="soft small">{text.dropped(log.dropped)}</p>}
      <VirtualLines
        count={log.count}
        label={title}
        box={box}
        rows={rows}
        isAtEnd={isAtEnd}
        onAtEnd={onAtEnd}
        line={(index) => {
          const line = log.line(index);
          if (!line) return null;
          const number = index + log.dropped + 1;
          const classes = ['line', rows && 'wrapped', line.isError && 'error', number === chosen && 'chosen']
            .filter(Boolean)
            .join(' ');
          const at = Date.parse(line.at);
          return (
            <div key={number} class={classes} style={rows ? { height: `${heightOf(rows, index)}px` } : undefined}>
              <button
                type="button"
                class="number"
                tabIndex={-1}
                aria-label={text.line(number)}
                aria-current={number === chosen ? 'true' : undefined}
                onClick={() => setQuery({ line: number === chosen ? null : String(number) })}
              >
                {number}
              </button>
              {isTimed && (
                <time dateTime={line.at} title={exactText(at)}>
                  {secondText(at)}
                </time>
              )}
              {line.isError && <span class="hidden">{text.error} </span>}
              <bdi dir="ltr">
                <LineText text={line.text} spans={line.spans} needle={needle} />
              </bdi>
            </div>
          );
        }}
      />
    </>
  );
}

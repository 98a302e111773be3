import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Said } from '../../parts/text/said.tsx';
import { words } from '../../words/words.ts';
import { compareLines, type OutputDifference } from './compare-lines.ts';
import { LineText } from './line-text.tsx';
import type { OutputLog } from './output-log.ts';
import { useOutput } from './use-output.ts';
import { VirtualLines } from './virtual-lines.tsx';

interface ComparisonProps {
  readonly log: OutputLog;
  readonly version: number;
  readonly isComplete: boolean;
  /** The job whose output it is compared with. */
  readonly success: number;
}

const signs = { same: ' ', before: '−', after: '+' };

/** The output of an attempt beside that of the last success: what is new in it, and what it lacks. */
export function Comparison({ log, version, isComplete, success }: ComparisonProps) {
  const text = words.value.runs.output;
  const other = useOutput(success);
  const box = useRef<HTMLElement>(null);
  const lines = useSignal<readonly OutputDifference[] | null | undefined>(undefined);
  const isReady = other.isComplete.value;
  useEffect(() => {
    if (!isReady) return undefined;
    let isOver = false;
    void compareLines(other.log, log).then((found) => {
      if (!isOver) lines.value = found;
    });
    return () => {
      isOver = true;
    };
    // Of a job that runs, what it has written when it is compared.
  }, [isReady, log, isComplete || version > 1]);
  const found = lines.value;
  if (found === undefined)
    return (
      <p class="soft">
        <Said of={other.problem.value ?? words.value.shell.loading} />
      </p>
    );
  if (found === null) return <p class="soft">{text.tooDifferent}</p>;
  const differing = found.filter(({ kind }) => kind === 'before' || kind === 'after').length;
  return (
    <>
      <p class="soft small" role="status">
        {differing === 0 ? text.same : text.compared}
      </p>
      {differing > 0 && (
        <VirtualLines
          count={found.length}
          label={text.compare}
          box={box}
          line={(index) => (
            <Compared key={index} line={found[index] as OutputDifference} before={other.log} after={log} />
          )}
        />
      )}
    </>
  );
}

interface ComparedProps {
  readonly line: OutputDifference;
  readonly before: OutputLog;
  readonly after: OutputLog;
}

function Compared({ line, before, after }: ComparedProps) {
  const text = words.value.runs.output;
  if (line.kind === 'gap') return <div class="line gap">{text.sameLines(line.count)}</div>;
  const shown = line.kind === 'before' ? before.line(line.before) : after.line(line.after);
  if (!shown) return null;
  const name = { same: '', before: text.onlyBefore, after: text.onlyAfter }[line.kind];
  return (
    <div class={`line ${line.kind}`}>
      <span class="number">{line.kind === 'after' ? '' : line.before + 1}</span>
      <span class="number">{line.kind === 'before' ? '' : line.after + 1}</span>
      <span class="sign" aria-hidden="true">
        {signs[line.kind]}
      </span>
      {name !== '' && <span class="hidden">{name} </span>}
      <bdi dir="ltr">
        <LineText text={shown.text} spans={shown.spans} />
      </bdi>
    </div>
  );
}

import { diffLines } from 'diff';
import { words } from '../words/words.ts';
import { type ChangedField, valueText } from './differences.ts';

/** How many equal lines stand around each difference. */
const context = 3;
/** How long a comparison may take, in milliseconds: values that have little in common take the longest. */
const maxTime = 500;

/** Two values line by line: those that differ are marked, and most of the equal ones are left out. */
export function ChangedLines({ before, after }: Omit<ChangedField, 'name'>) {
  const [one, other] = [linesOf(before), linesOf(after)];
  const parts = diffLines(one, other, { timeout: maxTime }) ?? [
    { value: one, added: false, removed: true },
    { value: other, added: true, removed: false },
  ];
  return (
    <pre class="change">
      {parts.map(({ value, added, removed }, index) => {
        if (removed) return <del key={index}>{marked(value, '− ')}</del>;
        if (added) return <ins key={index}>{marked(value, '+ ')}</ins>;
        return <SameLines key={index} of={value} isFirst={index === 0} isLast={index === parts.length - 1} />;
      })}
    </pre>
  );
}

interface SameLinesProps {
  readonly of: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

function SameLines({ of, isFirst, isLast }: SameLinesProps) {
  const lines = of.split('\n').slice(0, -1);
  const [head, tail] = [isFirst ? 0 : context, isLast ? 0 : context];
  const left = lines.length - head - tail;
  if (left <= 1) return <>{marked(of, '  ')}</>;
  return (
    <>
      {marked(lines.slice(0, head).map(ended).join(''), '  ')}
      <span class="soft">{ended(words.value.runs.output.sameLines(left))}</span>
      {marked(
        lines
          .slice(head + left)
          .map(ended)
          .join(''),
        '  ',
      )}
    </>
  );
}

function linesOf(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : valueText(value);
  return text === null ? '' : ended(text);
}

function ended(line: string): string {
  return `${line}\n`;
}

/** Puts a mark before each line. */
function marked(lines: string, mark: string): string {
  return lines.replace(/.*\n/g, `${mark}$&`);
}

import type { Ref } from 'preact';
import { now } from '../data/clock.ts';
import { Clause } from '../parts/clause.tsx';
import { exactText, momentText } from '../parts/times.ts';
import { capitalized, words } from '../words/words.ts';

/** What an import does, or would do. */
export interface ImportReport {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly notes: readonly string[];
}

interface ReportProps {
  readonly report: ImportReport;
  /** Where a reader is led once it is shown. */
  readonly heading: Ref<HTMLHeadingElement>;
}

/** What an import would do: what a person should know of the files, and a row for each thing in them. */
export function Report({ report: { rows, notes }, heading }: ReportProps) {
  const text = words.value.begin;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const nameOf = (name: string) => text.columns[name] ?? capitalized(name.replaceAll('_', ' '));
  const shown = names.filter((name) => rows.some((row) => !isEmpty(row[name])));
  return (
    <section class="report">
      <h2 ref={heading} tabIndex={-1}>
        {rows.length === 0 ? text.nothing : text.would}
      </h2>
      {notes.length > 0 && (
        <ul class="notes">
          {notes.map((note) => (
            <li key={note}>
              <Clause of={note} />
            </li>
          ))}
        </ul>
      )}
      {rows.length > 0 && (
        <div class="scroll">
          <table class="records report">
            <thead>
              <tr>
                {shown.map((name) => (
                  <th key={name} scope="col">
                    {nameOf(name)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, index) => (
                <tr key={index}>
                  {shown.map((name) => (
                    <td key={name} data-label={nameOf(name)}>
                      <Cell name={name} value={row[name]} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function Cell({ name, value }: { readonly name: string; readonly value: unknown }) {
  if (isEmpty(value)) return null;
  if (Array.isArray(value))
    return value.map((each) => (
      <div key={String(each)}>
        <Cell name={name} value={each} />
      </div>
    ));
  if (typeof value === 'string' && instant.test(value)) {
    const at = Date.parse(value);
    return (
      <time dateTime={value} title={exactText(at)}>
        {momentText(at, now.value)}
      </time>
    );
  }
  if (name === 'result') return <>{words.value.begin.results[String(value)] ?? String(value)}</>;
  if (name === 'command' || name === 'schedule' || name === 'was') return <code>{String(value)}</code>;
  return <bdi>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</bdi>;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

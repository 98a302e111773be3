import { hrefOf } from '../app/router.ts';
import { useLivePage } from '../data/answer.ts';
import type { AnyRecord } from '../data/records.ts';
import { titleOf } from '../data/records.ts';
import { Name } from '../parts/name.tsx';
import { words } from '../words/words.ts';

const shown = 20;

/** The templates that run an App. */
export function AppTemplates({ id }: { readonly id: number }) {
  const text = words.value.records;
  const page = useLivePage<AnyRecord>(`/runtemplates.json?app_id=${id}&limit=${shown}`, {
    kinds: ['RunTemplate'],
  }).value;
  if (!page || page.rows.length === 0) return null;
  const { rows, total, next } = page;
  return (
    <section aria-label={text.usedBy}>
      <h2>
        {text.usedBy} <span>{total}</span>
      </h2>
      <ul class="plain">
        {rows.map((template) => (
          <li key={template.id}>
            <a href={hrefOf(`/templates/${template.id}`)}>
              <bdi>{titleOf(template)}</bdi>
            </a>{' '}
            <small class="soft">
              <Name of="Company" id={Number(template['company_id'])} />
            </small>
          </li>
        ))}
      </ul>
      {next !== null && <p class="soft small">{text.usedByFirst(shown)}</p>}
    </section>
  );
}

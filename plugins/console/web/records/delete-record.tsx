import type { ResourceModel } from '../data/model.ts';
import type { AnyRecord } from '../data/records.ts';
import { request, warningsOf } from '../data/request.ts';
import { ask } from '../parts/ask.tsx';
import { Clause } from '../parts/clause.tsx';
import { titleIn } from '../parts/text/title.ts';
import { words } from '../words/words.ts';

/**
 * Deletes a record after it has shown what would go with it, which a dry run tells.
 * @returns whether it was deleted.
 * @throws Problem
 */
export async function askAndDelete(resource: ResourceModel, record: AnyRecord): Promise<boolean> {
  const text = words.value.records;
  const title = titleIn(resource.name, record);
  const path = `/${resource.singular}/${record.id}.json`;
  const { headers } = await request(path, { method: 'DELETE', query: { dry_run: true, cascade: true } });
  const consequences = warningsOf(headers).filter((sentence) => sentence.startsWith('would '));
  const form = await ask({
    title: text.removeTitle(title),
    content: (
      <>
        <p class="soft">{text.removeEffect}</p>
        <ul>
          {consequences.map((sentence) => (
            <li key={sentence}>
              <Clause of={sentence} />
            </li>
          ))}
        </ul>
      </>
    ),
    confirm: text.remove,
  });
  if (!form) return false;
  await request(path, { method: 'DELETE', query: { cascade: true } });
  return true;
}

import { hrefOf } from '../app/router.ts';
import { useLive } from '../data/answer.ts';
import { isAdmin } from '../data/may.ts';
import { useModel } from '../data/model.ts';
import { RecordList } from '../records/record-list.tsx';
import { NewRecord, RecordPage } from '../records/record-page.tsx';
import { words } from '../words/words.ts';

interface Status {
  readonly version: string;
  readonly counts: Readonly<Record<string, number>>;
}

/** The screens that show these kinds of records have their own lists. */
const ownScreens: Readonly<Record<string, string>> = { runtemplates: '/templates', tasks: '/runs', jobs: '/runs' };

/** Everything that can be configured, by its kind. */
export function Manage() {
  const model = useModel();
  const text = words.value.manage;
  const status = useLive<Status>('/status.json', { every: 60_000 });
  if (!model) return <p class="soft">{words.value.shell.loading}</p>;
  const shown = model.resources.filter(
    ({ operations, nested, rights, plural }) =>
      operations.includes('save') && !nested && rights.read && !Object.hasOwn(ownScreens, plural),
  );
  return (
    <>
      <h1>{text.title}</h1>
      <ul class="kinds">
        {shown.map(({ name, plural, words: kind, description, langs }) => (
          <li key={name}>
            <a class="kind" href={hrefOf(`/manage/${plural}`)} data-row="" lang={langs?.words}>
              {kind.all}
            </a>{' '}
            <span class="soft">{status.value?.counts[plural]}</span>
            <small lang={langs?.description}>{description}</small>
          </li>
        ))}
      </ul>
      {isAdmin() && (
        <>
          <h2>{text.service}</h2>
          <ul class="kinds">
            {(['workers', 'settings', 'plugins'] as const).map((name) => (
              <li key={name}>
                <a class="kind" href={hrefOf(`/manage/service/${name}`)} data-row="">
                  {words.value[name].name}
                </a>
                <small>{text.ofService[name]}</small>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** The list of one kind of records, one record, or the form of a new one. */
export function ManageRecords({ parts: [plural, id] }: { readonly parts: readonly string[] }) {
  const model = useModel();
  if (!model) return <p class="soft">{words.value.shell.loading}</p>;
  const resource = model.resources.find((each) => each.plural === plural);
  if (!resource) return <h1>{words.value.shell.notFound}</h1>;
  if (id === undefined) return <RecordList key={plural} resource={resource} />;
  if (id === 'new') return <NewRecord key={plural} resource={resource} />;
  return <RecordPage key={`${plural} ${id}`} resource={resource} id={id} />;
}

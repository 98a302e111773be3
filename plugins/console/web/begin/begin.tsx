import { go, hrefOf } from '../app/router.ts';
import { useLivePage } from '../data/answer.ts';
import { isAdmin } from '../data/may.ts';
import { type Model, mayWrite, useModel } from '../data/model.ts';
import type { AnyRecord } from '../data/records.ts';
import { request } from '../data/request.ts';
import { Act } from '../parts/act.tsx';
import { say } from '../parts/messages.tsx';
import { serviceLanguage, words } from '../words/words.ts';
import { DropZone } from './drop-zone.tsx';
import { FirstJob } from './first-job.tsx';
import { ImportForm } from './import-form.tsx';
import { dropped, importOf } from './text-files.ts';

/** The ways to add jobs, or one of them: `/begin`, `/begin/crontab`. */
export function Begin({ parts: [way] }: { readonly parts: readonly string[] }) {
  const model = useModel();
  const text = words.value.begin;
  if (!model) return <p class="soft">{words.value.shell.loading}</p>;
  if (way === undefined)
    return (
      <>
        <h1>{text.title}</h1>
        <Ways />
      </>
    );
  const found = model.imports.find(({ name }) => name === way);
  if (way !== 'job' && !found) return <h1>{words.value.shell.notFound}</h1>;
  if (!mayBegin(model))
    return (
      <>
        <h1>{text.title}</h1>
        <p class="soft">{text.mayNot}</p>
      </>
    );
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf('/begin')}>{text.title}</a>
      </p>
      <h1>{text.ways[way]?.title ?? way}</h1>
      {found ? <ImportForm key={way} described={found} /> : <FirstJob fields={model.job_fields} />}
    </>
  );
}

/** What stands on the first page while there is no template. */
export function FirstVisit() {
  const text = words.value.begin;
  const model = useModel();
  const templates = useLivePage<AnyRecord>('/runtemplates.json?limit=1', { kinds: ['RunTemplate'] });
  if (!model || templates.value?.total !== '0') return null;
  return (
    <section class="begin">
      <h2>{text.first}</h2>
      <Ways only={order} />
    </section>
  );
}

interface WaysProps {
  /** Those that are shown. @default all */
  readonly only?: readonly string[];
}

/** The ways, each with what it is for; files can be dropped at once. */
function Ways({ only }: WaysProps) {
  const text = words.value.begin;
  const model = useModel();
  const companies = useLivePage<AnyRecord>('/companies.json?limit=1', { kinds: ['Company'] });
  if (!model) return null;
  if (!mayBegin(model)) return <p class="soft">{text.mayNot}</p>;
  const all = [...model.imports, { name: 'job', summary: '' }].toSorted((a, b) => rank(a.name) - rank(b.name));
  const ways = all.filter(({ name }) => only?.includes(name) ?? true);
  return (
    <>
      <DropZone
        label={text.drop}
        byTouch={text.chooseEither}
        onFiles={(files) => {
          const [first] = files;
          if (!first) return;
          dropped.value = files;
          go(`/begin/${importOf(first)}`);
        }}
      />
      <ul class="kinds">
        {ways.map(({ name, summary }) => (
          <li key={name}>
            <a class="kind" href={hrefOf(`/begin/${name}`)} data-row="">
              {text.ways[name]?.title ?? name}
            </a>
            <small lang={text.ways[name] ? undefined : serviceLanguage.value}>
              {text.ways[name]?.about ?? summary}
            </small>
          </li>
        ))}
      </ul>
      {isAdmin() && companies.value?.total === '0' && (
        <p>
          {text.demoAbout}{' '}
          <Act
            act={async () => {
              await request('/console/demo', { method: 'POST' });
              go('/');
              say(text.demoMade);
            }}
          >
            {text.demo}
          </Act>
        </p>
      )}
    </>
  );
}

/** Whether the user may add jobs: each way makes a template and an App, which belongs to no company. */
export function mayBegin({ resources }: Model): boolean {
  return ['RunTemplate', 'App'].every((kind) =>
    resources.some((resource) => resource.name === kind && mayWrite(resource, 'create')),
  );
}

/** The order of the ways; others come last. */
const order = ['crontab', 'app', 'job'];
const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);

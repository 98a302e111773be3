import { hrefOf } from '../app/router.ts';
import { useLive } from '../data/answer.ts';
import { mayWrite, useModel } from '../data/model.ts';
import { Name } from '../parts/name.tsx';
import { CommandLine } from '../parts/text/command-line.tsx';
import { Sentence } from '../parts/text/sentence.tsx';
import { words } from '../words/words.ts';

type Texts = Readonly<Record<string, unknown>>;

interface CommandApp {
  readonly executable: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, { readonly default?: unknown }>>;
}

interface CommandProps {
  readonly app: number;
  readonly company: number | null;
  /** The values of the template. */
  readonly environment: Texts;
}

/** What the jobs of a template run, which its App says, for those who may see that; secrets are masked by the API. */
export function Command({ app: id, company: companyId, environment }: CommandProps) {
  const text = words.value.template;
  const resource = useModel()?.resources.find(({ name }) => name === 'App');
  const app = useLive<CommandApp>(resource?.rights.read ? `/app/${id}.json` : null, { kinds: ['App'] }).value;
  const path = companyId === null ? null : `/company/${companyId}.json`;
  const company = useLive<{ readonly environment?: Texts }>(path, { kinds: ['Company'] }).value;
  if (!app || !resource) return null;
  const defaults = Object.entries(app.environment).map(([key, variable]) => [key, variable.default] as const);
  const values = { ...Object.fromEntries(defaults), ...company?.environment, ...environment };
  const declared = Object.fromEntries(Object.keys(app.environment).map((key) => [key, values[key]]));
  const saved = mapped(declared, String);
  const given = mapped(declared, (value) => filled(String(value), saved));
  return (
    <section aria-label={text.command}>
      <h2>{text.command}</h2>
      <p class="command">
        <CommandLine executable={app.executable} arguments={app.arguments.map((each) => filled(each, given))} />
      </p>
      <p class="small soft">
        <Sentence of={text.commandOf} with={{ app: <Name of="App" id={id} link /> }} />{' '}
        {mayWrite(resource, 'update') && <a href={hrefOf(`/manage/apps/${id}?edit=1`)}>{text.changeCommand}</a>}
      </p>
    </section>
  );
}

/** Replaces the placeholders of values that are known; those of credentials stay. */
function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$?\{(\w+)\}/g, (whole, key: string) =>
    Object.hasOwn(values, key) ? (values[key] ?? whole) : whole,
  );
}

function mapped(values: Texts, textOf: (value: unknown) => string): Record<string, string> {
  const present = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(present.map(([key, value]) => [key, textOf(value)]));
}

import { hrefOf } from '../app/router.ts';
import { useLive } from '../data/answer.ts';
import { mayWrite, useModel } from '../data/model.ts';
import { Name } from '../parts/name.tsx';
import { CommandLine } from '../parts/text/command-line.tsx';
import { Sentence } from '../parts/text/sentence.tsx';
import { words } from '../words/words.ts';

interface CommandOfApp {
  readonly executable: string;
  readonly arguments: readonly string[];
}

/** What the jobs of a template run, which its App says, for those who may see that. */
export function Command({ app: id }: { readonly app: number }) {
  const text = words.value.template;
  const resource = useModel()?.resources.find(({ name }) => name === 'App');
  const app = useLive<CommandOfApp>(resource?.rights.read ? `/app/${id}.json` : null, { kinds: ['App'] }).value;
  if (!app || !resource) return null;
  const field = app.arguments.length > 0 ? 'arguments' : 'executable';
  return (
    <section aria-label={text.command}>
      <h2>{text.command}</h2>
      <p class="command">
        <CommandLine words={[app.executable, ...app.arguments]} />
      </p>
      <p class="small soft">
        <Sentence of={text.commandOf} with={{ app: <Name of="App" id={id} link /> }} />{' '}
        {mayWrite(resource, 'update') && (
          <a href={hrefOf(`/manage/apps/${id}?edit=1&field=${field}`)}>{text.changeCommand}</a>
        )}
      </p>
    </section>
  );
}

import { useLive } from '../data/answer.ts';
import { Row, Rows } from '../lists/rows.tsx';
import { useSteady } from '../lists/steady.ts';
import { Answered } from '../parts/answered.tsx';
import { Facts } from '../parts/facts.tsx';
import { words } from '../words/words.ts';
import { ManageCrumbs } from './crumbs.tsx';

interface Plugin {
  readonly name: string;
  readonly built_in: boolean;
  readonly version: string | null;
  /** The names of what it brings, by their kind. */
  readonly brings: Readonly<Record<string, readonly string[]>>;
}

/** The plugins that are loaded, and what each brings. */
export function Plugins() {
  const text = words.value.plugins;
  const plugins = useLive<readonly Plugin[]>('/plugins.json');
  const rows = plugins.value ?? [];
  const steady = useSteady(rows, ({ name }) => name);
  return (
    <>
      <ManageCrumbs />
      <Answered of={plugins}>
        {() => (
          <>
            <h1>{text.title(rows.length)}</h1>
            <p class="sub">{text.about}</p>
            <div class="pairs">
              <Rows of={steady} label={text.name}>
                {({ name, built_in, version, brings }) => (
                  <Row
                    key={name}
                    title={<code>{name}</code>}
                    under={[built_in ? text.builtIn : text.added, version !== null && text.version(version)]
                      .filter(Boolean)
                      .join(', ')}
                  >
                    <Facts
                      of={Object.entries(brings).map(([kind, names]) => [
                        text.kinds[kind] ?? kind,
                        <code key={kind}>{names.join(', ')}</code>,
                      ])}
                    />
                  </Row>
                )}
              </Rows>
            </div>
          </>
        )}
      </Answered>
    </>
  );
}

import { query } from '../app/router.ts';
import { useLive } from '../data/answer.ts';
import { TextFilter } from '../lists/choice.tsx';
import { Row, Rows } from '../lists/rows.tsx';
import { useSteady } from '../lists/steady.ts';
import { Answered } from '../parts/answered.tsx';
import { Clause } from '../parts/clause.tsx';
import { words } from '../words/words.ts';
import { ManageCrumbs } from './crumbs.tsx';

interface Setting {
  readonly setting: string;
  /** Secrets are masked. */
  readonly value: unknown;
  /** `default`, `environment`, `flag`, or the path of a file. */
  readonly from: string;
  readonly variable: string;
  readonly meaning: string | null;
}

/** The settings with which the service was started: they are changed where it is started. */
export function Settings() {
  const text = words.value.settings;
  const settings = useLive<readonly Setting[]>('/settings.json');
  return (
    <>
      <ManageCrumbs />
      <Answered of={settings}>
        {(rows) => {
          const typed = (query.value.get('q') ?? '').toLowerCase();
          const found = rows.filter(({ setting, meaning }) => `${setting} ${meaning}`.toLowerCase().includes(typed));
          const isSet = ({ from }: Setting) => from !== 'default';
          return (
            <>
              <h1>{text.title(rows.length, rows.filter(isSet).length)}</h1>
              <p class="sub">{text.about}</p>
              <div class="filters">
                <TextFilter name="q" label={text.find} />
              </div>
              {found.length === 0 && <p class="soft">{text.none}</p>}
              <SettingRows title={text.set} rows={found.filter(isSet)} />
              <SettingRows title={text.defaults} rows={found.filter((row) => !isSet(row))} />
            </>
          );
        }}
      </Answered>
    </>
  );
}

function SettingRows({ title, rows }: { readonly title: string; readonly rows: readonly Setting[] }) {
  const text = words.value.settings;
  const steady = useSteady(rows, ({ setting }) => setting);
  if (rows.length === 0) return null;
  return (
    <section class="pairs">
      <h2>{title}</h2>
      <Rows of={steady} label={title}>
        {({ setting, value, from, variable, meaning }) => (
          <Row key={setting} title={<code>{setting}</code>} under={meaning !== null && <Clause of={meaning} />}>
            {value === null ? <span class="soft">–</span> : <code>{shown(value)}</code>}
            {from !== 'default' && <small>{text.from(from, variable)}</small>}
          </Row>
        )}
      </Rows>
    </section>
  );
}

function shown(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

import { useLive } from '../data/answer.ts';
import { announce } from '../data/live.ts';
import { request } from '../data/request.ts';
import { signOut } from '../data/session.ts';
import { Row, Rows } from '../lists/rows.tsx';
import { useSteady } from '../lists/steady.ts';
import { Act } from '../parts/act.tsx';
import { Answered } from '../parts/answered.tsx';
import { ask } from '../parts/ask.tsx';
import { say } from '../parts/messages.tsx';
import { Sentence } from '../parts/text/sentence.tsx';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';

interface OwnToken {
  readonly id: number;
  readonly kind: 'login' | 'cli' | 'session';
  readonly name: string | null;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly current: boolean;
}

/** The browsers and programs that are signed in as the reader, who can end each of them. */
export function OwnTokens() {
  const tokens = useLive<readonly OwnToken[]>('/console/tokens', { kinds: ['Token'], every: 30_000 });
  return <Answered of={tokens}>{(rows) => <List rows={rows} />}</Answered>;
}

function List({ rows }: { readonly rows: readonly OwnToken[] }) {
  const text = words.value.account;
  const steady = useSteady(rows, ({ id }) => id);
  return (
    <>
      <p class="soft">{text.sessionsAbout}</p>
      <div class="stateless">
        <Rows of={steady} label={text.sessions}>
          {(token) => (
            <Row
              key={token.id}
              title={
                <>
                  <bdi>{token.name ?? text.unnamed}</bdi> {token.current && <span class="chip">{text.thisOne}</span>}
                </>
              }
              under={<TokenTimes of={token} />}
              acts={<EndToken of={token} />}
            />
          )}
        </Rows>
      </div>
    </>
  );
}

function TokenTimes({ of: { kind, created_at, last_used_at, expires_at } }: { readonly of: OwnToken }) {
  const text = words.value.account;
  return (
    <>
      {text.kinds[kind]}, <Sentence of={text.since} with={{ when: <When at={created_at} as="moment" /> }} />
      {' · '}
      {last_used_at === null ? (
        text.neverUsed
      ) : (
        <Sentence of={text.lastUsed} with={{ when: <When at={last_used_at} /> }} />
      )}
      {' · '}
      {expires_at === null ? text.neverEnds : <Sentence of={text.ends} with={{ when: <When at={expires_at} /> }} />}
    </>
  );
}

/** Ends a session or revokes a token; that of this page is signed out. */
function EndToken({ of: { id, kind, name, current } }: { readonly of: OwnToken }) {
  const text = words.value.account;
  const title = name ?? text.unnamed;
  if (current) return <Act act={signOut}>{text.signOut}</Act>;
  const end = async () => {
    const content = <p class="soft">{kind === 'session' ? text.endSession : text.endToken}</p>;
    if (!(await ask({ title: text.endTitle(title), content, confirm: text.end }))) return;
    await request(`/console/token/${id}`, { method: 'DELETE' });
    announce('Token', id);
    say(text.ended(title));
  };
  return (
    <Act shortcut="e" label={text.endOf(title)} act={end}>
      {text.end}
    </Act>
  );
}

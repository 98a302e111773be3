import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Message, messageOf } from '../data/problem.ts';
import { lastUser, readSession, session } from '../data/session.ts';
import { Said } from '../parts/text/said.tsx';
import { words } from '../words/words.ts';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';

/** How often a service that does not answer is asked again, in milliseconds. */
const retryInterval = 3000;

/** The pages of a signed-in user. When the session ends, they stay beneath the form that begins another one. */
export function Console() {
  const failure = useSignal<Message | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = () => {
      readSession().then(
        () => {
          failure.value = null;
        },
        (error) => {
          failure.value = messageOf(error);
          timer = setTimeout(ask, retryInterval);
        },
      );
    };
    ask();
    return () => clearTimeout(timer);
  }, []);
  if (session.value === undefined)
    return (
      <main class="alone">
        {failure.value === null ? (
          <p class="soft">{words.value.shell.loading}</p>
        ) : (
          <p role="alert">
            <Said of={failure.value} />
          </p>
        )}
      </main>
    );
  return (
    <>
      {lastUser.value !== null && <Shell key={lastUser.value} />}
      {session.value === null && <SignIn isAgain={lastUser.value !== null} />}
    </>
  );
}

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isLive } from '../data/live.ts';
import { session, signOut } from '../data/session.ts';
import { Asked } from '../parts/ask.tsx';
import { Messages } from '../parts/messages.tsx';
import { ownZone } from '../parts/times.ts';
import { words } from '../words/words.ts';
import { CompanyChoice } from './company-choice.tsx';
import { focusView } from './focus.ts';
import { isKeyHelpOpen, KeyHelp } from './key-help.tsx';
import { Preferences } from './preferences.tsx';
import { hrefOf, path } from './router.ts';
import { screenOf } from './screens.ts';
import { isSearchOpen, Search } from './search.tsx';
import { sections } from './sections.ts';

/** The frame of every view: navigation, the view itself, and what is true of all of them. */
export function Shell() {
  const text = words.value;
  const view = path.value;
  const found = screenOf(view);
  const isOpen = useSignal(false);
  const shown = useRef(view);
  useEffect(() => {
    isOpen.value = false;
    if (shown.current !== view) requestAnimationFrame(focusView);
    shown.current = view;
  }, [view]);
  return (
    <>
      <a class="skip" href="#content">
        {text.nav.skip}
      </a>
      <header>
        <a class="brand" href={hrefOf('/')}>
          Horarium
        </a>
        <button
          class="menu"
          type="button"
          aria-expanded={isOpen.value}
          aria-controls="menu"
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          {text.shell.menu}
        </button>
        <div id="menu" class={isOpen.value ? 'open' : undefined}>
          <nav aria-label={text.nav.label}>
            {sections.map(({ name, path: target }) => (
              <a key={name} href={hrefOf(target)} aria-current={isWithin(view, target) ? 'page' : undefined}>
                {text.nav[name]}
              </a>
            ))}
          </nav>
          <CompanyChoice />
          <AccountMenu />
        </div>
        <button type="button" class="find" onClick={() => (isSearchOpen.value = true)}>
          {text.shell.search}
          <span class="key" aria-hidden="true">
            /
          </span>
        </button>
      </header>
      {!isLive.value && (
        <p class="notice" role="status">
          {text.problem.notLive}
        </p>
      )}
      <main id="content" tabIndex={-1}>
        {found ? <found.screen parts={found.parts} /> : <NotFound />}
      </main>
      <footer>
        <span>{text.shell.timesAre(ownZone)}</span>
        <span class="spacer" />
        <button type="button" class="plain by-mouse" onClick={() => (isKeyHelpOpen.value = true)}>
          {text.shell.keys}{' '}
          <span class="key" aria-hidden="true">
            ?
          </span>
        </button>
      </footer>
      <Messages />
      <Asked />
      {isKeyHelpOpen.value && <KeyHelp />}
      {isSearchOpen.value && <Search />}
    </>
  );
}

/** Whether a view is in a section; runs that no window owed are among the runs. */
function isWithin(path: string, section: string): boolean {
  const view = path.replace(/^\/jobs(?=\/|$)/, '/runs');
  return section === '/' ? view === '/' : view === section || view.startsWith(`${section}/`);
}

function NotFound() {
  const { shell } = words.value;
  return (
    <>
      <h1>{shell.notFound}</h1>
      <p>
        <a href={hrefOf('/')}>{shell.toNow}</a>
      </p>
    </>
  );
}

/** Who is signed in, and how the pages look for them. */
function AccountMenu() {
  const { shell } = words.value;
  const menu = useRef<HTMLDetailsElement>(null);
  const view = path.value;
  const close = () => {
    if (menu.current) menu.current.open = false;
  };
  useEffect(close, [view]);
  useEffect(() => {
    const onPointerDown = ({ target }: PointerEvent) => {
      if (target instanceof Node && !menu.current?.contains(target)) close();
    };
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape' || !menu.current?.open) return;
      close();
      menu.current.querySelector('summary')?.focus();
    };
    document.addEventListener('pointerdown', onPointerDown);
    document.addEventListener('keydown', onKeyDown);
    return () => {
      document.removeEventListener('pointerdown', onPointerDown);
      document.removeEventListener('keydown', onKeyDown);
    };
  }, []);
  return (
    <details ref={menu} class="account">
      <summary>
        <span class="hidden">{shell.account} </span>
        {session.value?.user.login}
      </summary>
      <div class="panel">
        <a href={hrefOf('/account')}>{words.value.account.title}</a>
        <Preferences />
        <button type="button" onClick={() => void signOut()}>
          {shell.signOut}
        </button>
      </div>
    </details>
  );
}

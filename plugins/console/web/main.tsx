import { render } from 'preact';
import { Console } from './app/console.tsx';
import { isKeyHelpOpen } from './app/key-help.tsx';
import { startKeys } from './app/keys.ts';
import { startRouter } from './app/router.ts';
import { startScheme } from './app/scheme.ts';
import { isSearchOpen } from './app/search.tsx';
import { startClock } from './data/clock.ts';
import { follow } from './data/live.ts';
import { startMessages } from './parts/messages.tsx';
import { startIsolation } from './parts/text/isolation.ts';
import { startLanguage } from './words/words.ts';

startIsolation();
startScheme();
startLanguage();
startRouter();
startClock();
startMessages();
startKeys({
  '?': () => {
    isKeyHelpOpen.value = true;
  },
  '/': () => {
    isSearchOpen.value = true;
  },
});
follow();
render(<Console />, document.getElementById('console') as HTMLElement);

import { hrefOf } from '../app/router.ts';
import { words } from '../words/words.ts';

/** Leads back to Manage. */
export function ManageCrumbs() {
  return (
    <p class="crumbs">
      <a href={hrefOf('/manage')}>{words.value.nav.manage}</a>
    </p>
  );
}

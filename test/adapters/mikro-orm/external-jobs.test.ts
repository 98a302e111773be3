import { externalJobsContract } from '../../contracts/external-jobs.ts';
import { sharedStores } from '../../support/shared-stores.ts';

for (const [what, open] of Object.entries(sharedStores)) externalJobsContract(`in ${what} that two have open`, open);

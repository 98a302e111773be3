import { externalFilesContract } from '../../contracts/external-files.ts';
import { externalJobsContract } from '../../contracts/external-jobs.ts';
import { sharedStores } from '../../support/store/shared-stores.ts';

for (const [what, open] of Object.entries(sharedStores))
  for (const contract of [externalJobsContract, externalFilesContract]) contract(`in ${what} that two have open`, open);

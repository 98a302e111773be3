import type { Route } from '@horarium/core/plugin';
import { changeStatusRoute } from './change-status-route.ts';
import { cronRoute } from './cron-route.ts';
import { daysRoute } from './days-route.ts';
import { demoRoute } from './demo-route.ts';
import { firstJobRoute } from './first-job-route.ts';
import { membershipRoute } from './membership-route.ts';
import { modelRoute } from './model-route.ts';
import { previewRoute } from './preview-route.ts';
import { searchRoute } from './search-route.ts';
import { tokenRoutes } from './token-routes.ts';
import { whyRoute } from './why-route.ts';

/** What the pages of the console ask for beyond the API. It is for them alone, so nothing that describes the API has it. */
export const consoleRoutes: readonly Route[] = [
  modelRoute,
  searchRoute,
  previewRoute,
  whyRoute,
  changeStatusRoute,
  cronRoute,
  daysRoute,
  firstJobRoute,
  demoRoute,
  membershipRoute,
  ...tokenRoutes,
];

import { HorariumError, isAdmin, type Route } from '@horarium/core/plugin';
import { fillWithDemo } from '../../demo/demo.ts';

/** Fills an empty store with the demonstration, as `horarium serve --demo` does. */
export const demoRoute: Route = {
  method: 'POST',
  path: '/console/demo',
  summary: 'Fill an empty store with a small company whose jobs run every few seconds',
  hidden: true,
  authentication: 'required',
  shape: {
    operation: 'fillWithDemo',
    tag: 'console',
    right: 'admin',
    responses: { 204: { description: 'There are jobs of every outcome.' } },
    errors: [409],
  },
  handle: (context) =>
    context.inTransaction(async (tables) => {
      if (!isAdmin(context.actor))
        throw new HorariumError('denied', `${context.actor.name} may not make companies: that takes the role admin.`);
      if (!(await fillWithDemo(context.core, context.actor, tables)))
        throw new HorariumError('conflict', 'There are companies already, so nothing was added for the demonstration.');
      return {};
    }),
};

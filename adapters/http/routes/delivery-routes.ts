import { type AnyResource, Delivery, type Route } from '@horarium/core';
import { recordSample } from '../openapi/record-shapes.ts';
import { savedReply } from './resource-routes.ts';

/**
 * The retry of a delivery; the records of deliveries have the routes of every resource.
 * @param delivery the resource, with the computed fields that responses have.
 */
export const deliveryRoutes = (delivery: AnyResource): readonly Route[] => [
  {
    method: 'POST',
    path: '/delivery/{deliveryId}/retry.{suffix}',
    summary: 'Try a delivery again at once, with the same message id',
    authentication: 'required',
    shape: {
      operation: 'retryDelivery',
      tag: Delivery.names.plural,
      right: { resource: 'Delivery', verbs: ['update'] },
      responses: { 200: { description: 'The delivery is pending; the whole record.', body: recordSample(delivery) } },
    },
    handle: async (context) => {
      const { core, actor } = context;
      return context.inTransaction(async (tables) => {
        const row = await core.deliveries.retryIn(tables, actor, context.id('deliveryId'));
        return savedReply(context, delivery, tables, row, { created: false });
      });
    },
  },
];

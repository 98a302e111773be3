export { Account } from '../account/account.tsx';
export { Audit } from '../audit/audit.tsx';
export { OneEntry } from '../audit/one-entry.tsx';
export { Deliveries } from '../deliveries/deliveries.tsx';
export { OneDelivery } from '../deliveries/one-delivery.tsx';
export { Events } from '../events/events.tsx';
export { OneEvent } from '../events/one-event.tsx';

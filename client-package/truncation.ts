export { mayBeTruncated } from '../client/chat/truncation.ts';

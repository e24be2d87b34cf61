// Ids by name: numbers come from absolute paths, and builds in two folders would differ.
module.exports = { optimization: { moduleIds: "named", chunkIds: "named" } };

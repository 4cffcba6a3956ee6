"""MQTT as a channel, over aiomqtt."""
